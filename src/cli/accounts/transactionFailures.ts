import { EXIT_FAILED } from '../../process/exitCodes.ts';
import { Failure } from '../failure.ts';

/** Tells an operator what to do about the most common refusals. */
const ADVICE: Record<string, string> = {
  txInsufficientFee: 'the network is busy and asks for more: raise MAX_INCLUSION_FEE_STROOPS, or wait',
  txInsufficientBalance: 'the funder can no longer pay for it: send it lumens',
  txBadSeq: 'something else uses the funder at the same time: stop that',
  txBadAuth: 'the key in FUNDER_SECRET may not sign for its account alone: use another account',
  TRY_AGAIN_LATER: 'the network is busy, or another transaction of the funder waits: try again in a minute',
};

/** Returns the failure of a transaction that the network did not accept. */
export function refused(
  { inclusionStroops }: { inclusionStroops: number },
  { reason, askedStroops }: { reason: string; askedStroops?: number },
): Failure {
  const bid = reason === 'txInsufficientFee' ? ` (it bid ${inclusionStroops} stroops per account` : '';
  const asked = bid && (askedStroops === undefined ? ')' : `, the network asks for ${askedStroops} in all)`);
  const advice = ADVICE[reason] ?? 'try again later';
  return new Failure(EXIT_FAILED, `the network refused the transaction, ${reason}${bid}${asked}: ${advice}`);
}

/** Returns the failure of a transaction that was accepted and did not apply. */
export function ended(hash: string, { state, result }: { state: string; result?: string }): Failure {
  const why: Record<string, string> = {
    failed: `failed in the ledger (${result}): one of its accounts exists already, or the funder can no longer pay`,
    expired: 'was not taken by any ledger in time, and never will be: the network is busy',
    forgotten: 'may or may not have applied, and the RPC no longer knows: list the accounts first',
  };
  return new Failure(EXIT_FAILED, `transaction ${hash} ${why[state]}`);
}
