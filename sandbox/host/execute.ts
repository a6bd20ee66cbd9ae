/** Executes one contract call against a ledger's state, which it leaves as it is. */
import { xdr } from '@stellar/stellar-sdk';
import { ASSETS } from '../ledger/assets.ts';
import { instanceKey } from '../ledger/keys.ts';
import type { Key } from '../ledger/keys.ts';
import { contractValueOf } from '../ledger/state.ts';
import type { LedgerView, StoredEntry } from '../ledger/state.ts';
import { enforcingAuth, recordingAuth } from './auth.ts';
import { checkSymbol, checkValue } from './conversion.ts';
import { contractAccountKeyOf } from './contractAccount.ts';
import { checkEntry } from './entries.ts';
import { errorOf, HostError } from './errors.ts';
import { createHost, eventData, failMissing } from './host.ts';
import type { Host, HostEvent, Meter } from './host.ts';
import type { EntryChange, Footprint } from './storage.ts';
import { callToken } from './token.ts';
import { bytes, sameAddress, symbol } from './values.ts';
import type { Value } from './values.ts';

export type AuthMode =
  | { kind: 'enforcing'; entries: readonly xdr.SorobanAuthorizationEntry[] }
  | { kind: 'recording'; useAddressV2: boolean };

export interface Invocation {
  state: LedgerView;
  /** Sequence of the ledger that the call runs in. */
  ledger: number;
  hostFunction: xdr.HostFunction;
  source: xdr.AccountId;
  auth: AuthMode;
  /** Without it every access is allowed and recorded. */
  footprint?: Footprint;
}

export interface Execution {
  outcome: { ok: true; value: Value } | { ok: false; error: xdr.ScError };
  /** Contract and diagnostic events, in order. */
  events: HostEvent[];
  /** The entries given, or those recorded. */
  auth: xdr.SorobanAuthorizationEntry[];
  footprint: Footprint;
  changes: EntryChange[];
  entriesBefore: StoredEntry[];
  meter: Meter;
}

export function execute({ state, ledger, hostFunction, source, auth, footprint }: Invocation): Execution {
  const host = createHost(state, ledger, footprint);
  const authorizer =
    auth.kind === 'enforcing'
      ? enforcingAuth(host, auth.entries, source)
      : recordingAuth(host, source, auth.useAddressV2);
  const outcome = attempt(() => {
    if (auth.kind === 'enforcing') auth.entries.forEach(checkEntry);
    // Deploying and uploading code is beyond the sandbox: it is no smart-contract machine.
    if (hostFunction.type !== 'hostFunctionTypeInvokeContract') {
      return host.fail(errorOf('Context', 'InvalidAction'), 'the sandbox executes contract calls only');
    }
    return callContract(host, hostFunction.invokeContract, (address, call) =>
      authorizer.requireAuth(address, call),
    );
  });
  return {
    outcome,
    events: host.events,
    auth: authorizer.entries(),
    footprint: host.storage.footprint(),
    changes: host.storage.changes(),
    entriesBefore: host.storage.entriesBefore(),
    meter: host.meter,
  };
}

function attempt(run: () => Value): Execution['outcome'] {
  try {
    return { ok: true, value: run() };
  } catch (error) {
    if (error instanceof HostError) return { ok: false, error: error.error };
    throw error;
  }
}

/** Functions with this prefix are called by the host only. */
const RESERVED_PREFIX = '__';

function callContract(
  host: Host,
  call: xdr.InvokeContractArgs,
  requireAuth: (address: xdr.ScAddress, call: xdr.InvokeContractArgs) => void,
): Value {
  const { contractAddress: contract } = call;
  const name = symbol(call.functionName);
  if (contract.type !== 'scAddressTypeContract') {
    return host.fail(errorOf('Value', 'UnexpectedType'), "invoked address doesn't belong to a contract");
  }
  checkSymbol(call.functionName, host.report);
  for (const arg of call.args) checkValue(arg, host.report);
  if (call.functionName.toString().startsWith(RESERVED_PREFIX)) {
    host.fail(errorOf('Context', 'InvalidAction'), "can't invoke a reserved function directly", name);
  }
  const topics = [symbol('fn_call'), bytes(contract.contractId.value), name];
  host.emit('diagnostic', topics, eventData(call.args));

  const instance = readInstance(host, instanceKey(contract));
  return host.inFrame(contract.contractId, () => {
    const asset = ASSETS.find((candidate) => sameAddress(candidate.contract, contract));
    if (!asset) return failUnknownFunction(host, instance, name);
    const value = callToken(host, asset, call, (address) => requireAuth(address, call));
    host.emit('diagnostic', [symbol('fn_return'), name], value);
    return value;
  });
}

function readInstance(host: Host, key: Key): Value {
  return contractValueOf(host.read(key)) ?? failMissing(host, key);
}

/** Contract accounts have no functions of their own. */
function failUnknownFunction(host: Host, instance: Value, name: Value): never {
  if (!contractAccountKeyOf(instance)) throw new HostError(errorOf('Context', 'InternalError'));
  return host.fail(
    errorOf('WasmVm', 'MissingValue'),
    'trying to invoke non-existent contract function',
    name,
  );
}
