/** `simulateTransaction`: one contract call against the next ledger, its price and what it needs. */
import { xdr } from '@stellar/stellar-sdk';
import { diagnosticEvents, failureText } from '../host/events.ts';
import { execute } from '../host/execute.ts';
import type { AuthMode, Execution } from '../host/execute.ts';
import { usedResources } from '../host/resources.ts';
import { eventsFee, nonRefundableFee, rentFee } from '../ledger/fees.ts';
import { withAccountExtensions } from '../ledger/state.ts';
import type { LedgerView } from '../ledger/state.ts';
import type { Transaction } from '../ledger/transaction.ts';

export interface SimulateOptions {
  authMode: string | undefined;
  useUpgradedAuth: boolean;
  instructionLeeway: number;
}

/** Margins on what was used, as Stellar RPC adds them. */
const MARGINS = {
  instructions: { factor: 1.04, atLeast: 50_000 },
  transactionBytes: { factor: 1.1, atLeast: 500 },
  refundableFee: { factor: 1.15, atLeast: 0 },
};

function withMargin(used: number, { factor, atLeast }: { factor: number; atLeast: number }): number {
  return used === 0 ? 0 : Math.max(used + atLeast, Math.floor(used * factor));
}

/** The result of the method; a call that fails is a result with `error`. */
export function simulate(
  state: LedgerView,
  latestLedger: number,
  transaction: Transaction,
  options: SimulateOptions,
): object {
  const fail = (error: string) => ({ latestLedger, error });
  if (transaction.inner.operations.length !== 1) return fail('Transaction contains more than one operation');
  const { invocation } = transaction;
  if (!invocation) {
    return fail('Transaction contains unsupported operation type: only InvokeHostFunction is implemented');
  }
  const auth = authModeOf(invocation.auth, options);
  if (typeof auth === 'string') return fail(auth);

  const ledger = latestLedger + 1;
  const source = transaction.operationSource;
  const execution = execute({
    state: withAccountExtensions(state),
    ledger,
    hostFunction: invocation.hostFunction,
    source,
    auth,
  });
  const events = diagnosticEvents(execution).map((event) => event.toXdr('base64'));
  const { outcome } = execution;
  if (!outcome.ok) return { latestLedger, error: failureText(outcome.error, execution.events), events };

  const data = price(execution, invocation.hostFunction, ledger, options.instructionLeeway);
  return {
    latestLedger,
    transactionData: data.toXdr('base64'),
    minResourceFee: String(data.resourceFee),
    events,
    results: [
      {
        auth: execution.auth.map((entry) => entry.toXdr('base64')),
        xdr: outcome.value.toXdr('base64'),
      },
    ],
    stateChanges: stateChanges(execution),
  };
}

function authModeOf(
  entries: readonly xdr.SorobanAuthorizationEntry[],
  { authMode, useUpgradedAuth }: SimulateOptions,
): AuthMode | string {
  const mode = authMode || (entries.length > 0 ? 'enforce' : 'record');
  if (mode === 'enforce') return { kind: 'enforcing', entries };
  if (mode !== 'record' && mode !== 'record_allow_nonroot') return `invalid authMode '${mode}'`;
  if (entries.length > 0) return `simulation with '${mode}' auth mode: auth entries must be empty`;
  return { kind: 'recording', useAddressV2: useUpgradedAuth };
}

/** What the transaction must declare, and its resource fee. */
function price(
  execution: Execution,
  hostFunction: xdr.HostFunction,
  ledger: number,
  leeway: number,
): xdr.SorobanTransactionData {
  const { auth, footprint, changes } = execution;
  const used = usedResources(execution, { hostFunction, auth });
  const { factor, atLeast } = MARGINS.instructions;
  const margin = { factor, atLeast: Math.max(atLeast, leeway) };
  const instructions = Math.min(MAX_UINT32, withMargin(used.instructions, margin));
  const data = new xdr.SorobanTransactionData({
    ext: xdr.SorobanTransactionDataExt.v0(),
    resources: new xdr.SorobanResources({
      footprint: new xdr.LedgerFootprint({
        readOnly: footprint.readOnly.map((key) => key.xdr),
        readWrite: footprint.readWrite.map((key) => key.xdr),
      }),
      instructions,
      diskReadBytes: used.diskReadBytes,
      writeBytes: used.writeBytes,
    }),
    resourceFee: 0n,
  });
  const operation = new xdr.InvokeHostFunctionOp({ hostFunction, auth });
  const largestEnvelope = LARGEST_FRAME_BYTES + operation.toXdr().length + data.toXdr().length;
  const transactionBytes = withMargin(largestEnvelope, MARGINS.transactionBytes);
  const nonRefundable = nonRefundableFee({ ...used, instructions, footprint, transactionBytes });
  const refundable = eventsFee(used.eventsBytes) + rentFee(changes, ledger);
  const resourceFee = BigInt(nonRefundable + withMargin(refundable, MARGINS.refundableFee));
  return new xdr.SorobanTransactionData({ ...data, resourceFee });
}

const MAX_UINT32 = 2 ** 32 - 1;

/**
 * Bytes of the largest envelope without its operation's contents and its resources: muxed sources, all
 * preconditions, a memo and 20 signatures. The price allows for it.
 */
const LARGEST_FRAME_BYTES = 1_872;

function stateChanges({ changes }: Execution): object[] {
  return changes
    .filter(({ before, after }) => before ?? after)
    .map(({ key, before, after }) => ({
      type: before ? 'updated' : 'created',
      key: key.id,
      before: before ? Buffer.from(before.bytes).toString('base64') : null,
      after: after ? Buffer.from(after.bytes).toString('base64') : null,
    }));
}
