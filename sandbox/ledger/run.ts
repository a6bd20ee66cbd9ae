/** Runs a call within the resources that its transaction declares, as a ledger does. */
import { xdr } from '@stellar/stellar-sdk';
import { contractEvents, diagnosticEvents } from '../host/events.ts';
import { execute } from '../host/execute.ts';
import type { Execution } from '../host/execute.ts';
import { usedResources } from '../host/resources.ts';
import type { EntryChange, Footprint } from '../host/storage.ts';
import type { Value } from '../host/values.ts';
import { sha256, TRANSACTION_LIMITS } from '../protocol.ts';
import { eventsFee, rentFee } from './fees.ts';
import { isClassic } from './keys.ts';
import type { OperationOutcome } from './results.ts';
import type { LedgerView } from './state.ts';
import { declaredFootprint } from './transaction.ts';

/** What a call did. A failed one changes nothing, pays no refundable fee and has diagnostic events only. */
export interface Run {
  outcome: OperationOutcome;
  value: Value | null;
  changes: EntryChange[];
  events: xdr.ContractEvent[];
  diagnosticEvents: xdr.DiagnosticEvent[];
  /** Stroops for events and rent, and the rent in it. */
  refundable: number;
  rent: number;
}

export function runDeclared(
  state: LedgerView,
  source: xdr.AccountId,
  invocation: xdr.InvokeHostFunctionOp,
  resources: xdr.SorobanResources,
  { ledger, refundableLimit }: { ledger: number; refundableLimit: number },
): Run {
  const { hostFunction, auth: entries } = invocation;
  const footprint = declaredFootprint(resources);
  if (classicBytes(state, footprint) > resources.diskReadBytes) return failed('resourceLimitExceeded');

  const execution = execute({
    state,
    ledger,
    hostFunction,
    source,
    auth: { kind: 'enforcing', entries },
    footprint,
  });
  const { outcome, changes } = execution;
  if (!outcome.ok) return failed('trapped', execution);
  const used = usedResources(execution, invocation);
  if (used.instructions > resources.instructions) return failed('resourceLimitExceeded');
  if (used.writeBytes > resources.writeBytes || used.eventsBytes > TRANSACTION_LIMITS.eventsBytes) {
    return failed('resourceLimitExceeded', execution);
  }
  const rent = rentFee(changes, ledger);
  const refundable = rent + eventsFee(used.eventsBytes);
  if (refundable > refundableLimit) return failed('insufficientRefundableFee', execution);

  const events = contractEvents(execution);
  return {
    outcome: { type: 'success', hash: successHash(outcome.value, events) },
    value: outcome.value,
    changes,
    events,
    diagnosticEvents: diagnosticEvents(execution),
    refundable,
    rent,
  };
}

/** Without an execution when the declared resources did not let the call run to an end. */
function failed(type: Exclude<OperationOutcome['type'], 'success'>, execution?: Execution): Run {
  return {
    outcome: { type },
    value: null,
    changes: [],
    events: [],
    diagnosticEvents: execution ? diagnosticEvents(execution) : [],
    refundable: 0,
    rent: 0,
  };
}

function classicBytes(state: LedgerView, { readOnly, readWrite }: Footprint): number {
  return [...readOnly, ...readWrite]
    .filter((key) => isClassic(key.xdr))
    .reduce((sum, { id }) => sum + (state.get(id)?.bytes.length ?? 0), 0);
}

/** What a successful result holds: the hash of the return value and the contract's events. */
function successHash(returnValue: Value, events: xdr.ContractEvent[]): Buffer {
  return sha256(new xdr.InvokeHostFunctionSuccessPreImage({ returnValue, events }).toXdr());
}
