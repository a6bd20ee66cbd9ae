/** Events of an execution as XDR, and as the text that comes with a failed simulation. */
import { Address, scValToBigInt, StrKey, xdr } from '@stellar/stellar-sdk';
import { errorText } from './errors.ts';
import type { Execution } from './execute.ts';
import type { HostEvent } from './host.ts';
import type { Value } from './values.ts';

export function contractEvent({ kind, contract, topics, data }: HostEvent): xdr.ContractEvent {
  return new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: contract,
    type: kind === 'contract' ? xdr.ContractEventType.contract : xdr.ContractEventType.diagnostic,
    body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data })),
  });
}

/** Everything that happened, in order. Nothing of a failed call counts as successful. */
export function diagnosticEvents({ events, outcome }: Execution): xdr.DiagnosticEvent[] {
  return events.map(
    (event) => new xdr.DiagnosticEvent({ inSuccessfulContractCall: outcome.ok, event: contractEvent(event) }),
  );
}

/** The contract's own events; none of a failed call. */
export function contractEvents({ events, outcome }: Execution): xdr.ContractEvent[] {
  return outcome.ok ? events.filter(({ kind }) => kind === 'contract').map(contractEvent) : [];
}

/** `HostError: …` and the events behind it, newest first. */
export function failureText(error: xdr.ScError, events: readonly HostEvent[]): string {
  const log = events.toReversed().map((event, index) => `   ${index}: ${eventText(event)}\n`);
  return `HostError: ${errorText(error)}\n\nEvent log (newest first):\n${log.join('')}`;
}

function eventText({ kind, contract, topics, data }: HostEvent): string {
  const origin = contract ? `contract:${StrKey.encodeContract(contract.value)}, ` : '';
  const type = kind === 'contract' ? 'Contract' : 'Diagnostic';
  return `[${type} Event] ${origin}topics:[${topicTexts(topics).join(', ')}], data:${valueText(data)}`;
}

/** The called contract is an address to a reader. */
function topicTexts(topics: Value[]): string[] {
  return topics.map((topic) =>
    topic.type === 'scvBytes' && topic.bytes.value.length === 32
      ? StrKey.encodeContract(topic.bytes.value)
      : valueText(topic),
  );
}

function valueText(value: Value): string {
  switch (value.type) {
    case 'scvVoid':
      return 'Void';
    case 'scvError':
      return errorText(value.error);
    case 'scvString':
      return JSON.stringify(value.str.toString());
    case 'scvSymbol':
      return value.sym.toString();
    case 'scvBytes':
      return `Bytes(${Buffer.from(value.bytes.value).toString('hex')})`;
    case 'scvAddress':
      return Address.fromScAddress(value.address).toString();
    case 'scvU128':
    case 'scvI128':
    case 'scvU256':
    case 'scvI256':
      return String(scValToBigInt(value));
    case 'scvVec':
      return `[${(value.vec ?? []).map(valueText).join(', ')}]`;
    case 'scvMap':
      return `{${(value.map ?? []).map(({ key, val }) => `${valueText(key)}: ${valueText(val)}`).join(', ')}}`;
    case 'scvBool':
      return String(value.b);
    case 'scvU32':
      return String(value.u32);
    case 'scvU64':
      return String(value.u64);
    case 'scvI64':
      return String(value.i64);
    default:
      return JSON.stringify(value.toJson());
  }
}
