/** `simulateTransaction`: runs one contract call against the next ledger. Returns its price and what it needs. */
import type { At, AuthMode, Host } from '../host/host.ts';
import type { Transaction } from '../ledger/transaction.ts';

export interface SimulateOptions {
  authMode: string | undefined;
  useUpgradedAuth: boolean;
  instructionLeeway: number;
}

/** Returns the result of the method. A call that fails is a result with `error`. */
export function simulate(
  host: Host,
  { sequence: latestLedger, seconds }: At,
  transaction: Transaction,
  options: SimulateOptions,
): object {
  const fail = (error: string) => ({ latestLedger, error });
  if (transaction.inner.operations.length !== 1) return fail('Transaction contains more than one operation');
  const { invocation, envelope } = transaction;
  if (!invocation) {
    return fail('Transaction contains unsupported operation type: only InvokeHostFunction is implemented');
  }
  const auth = authModeOf(invocation.auth.length > 0, options);
  if (typeof auth === 'string') return fail(auth);

  // The call runs in the next ledger, which is not closed yet: its time is that of the latest one.
  const at = { sequence: latestLedger + 1, seconds };
  const done = host.simulate(envelope, at, auth, options.instructionLeeway);
  if (done.type === 'refused') return fail(done.error);
  const events = done.events.map(base64);
  if (done.type === 'failed') return { latestLedger, error: done.error, events };
  return {
    latestLedger,
    transactionData: base64(done.data),
    minResourceFee: String(done.resourceFee),
    events,
    results: [{ auth: done.auth.map(base64), xdr: base64(done.value) }],
    stateChanges: done.changes.map(({ key, before, after }) => ({
      type: before ? (after ? 'updated' : 'deleted') : 'created',
      key: base64(key),
      before: before ? base64(before) : null,
      after: after ? base64(after) : null,
    })),
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}

function authModeOf(
  isAuthorized: boolean,
  { authMode, useUpgradedAuth: upgraded }: SimulateOptions,
): AuthMode | string {
  const kind = authMode || (isAuthorized ? 'enforce' : 'record');
  if (kind === 'enforce') return { kind, upgraded };
  if (kind !== 'record' && kind !== 'record_allow_nonroot') return `invalid authMode '${kind}'`;
  return isAuthorized
    ? `simulation with '${kind}' auth mode: auth entries must be empty`
    : { kind, upgraded };
}
