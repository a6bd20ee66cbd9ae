import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleLimits } from '../limits.ts';
import type { Rejection } from './outcome.ts';
import { readResult } from './transactionResult.ts';
import { RpcFault } from '../../stellar/rpc/fault.ts';
import type { RpcAnswers } from '../../stellar/rpc/answers.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { SignedTransaction } from './signing.ts';

export interface SubmissionDeps {
  rpc: Rpc;
  limits: SettleLimits;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/** Says that the network has the transaction (or may have it, unless `isCertain`), or that it rejected it. */
export type Submission = { state: 'sent'; isCertain: boolean } | Rejection;

/**
 * Sends a signed transaction, and repeats the same bytes while the network is busy: they can never pay twice. If an
 * answer is lost, the transaction counts as sent, since only the ledger can tell what became of it.
 */
export async function submit(deps: SubmissionDeps, transaction: SignedTransaction): Promise<Submission> {
  const { rpc, limits, onFault } = deps;
  for (let resends = 0; resends <= limits.maxResends; resends++) {
    if (resends > 0) await sleep(limits.resendAfterMs);
    try {
      const answer = await sendOnce(rpc, transaction);
      if (answer.status === 'ERROR') return rejected(answer);
      if (answer.status !== 'TRY_AGAIN_LATER') return { state: 'sent', isCertain: true };
    } catch (fault) {
      onFault(fault);
      return { state: 'sent', isCertain: false };
    }
  }
  return { state: 'rejected', reason: 'TRY_AGAIN_LATER' };
}

/** Repeats a transaction that may not have arrived. True if the network now certainly has it. */
export async function resubmit(
  { rpc, onFault }: Pick<SubmissionDeps, 'rpc' | 'onFault'>,
  transaction: SignedTransaction,
): Promise<boolean> {
  try {
    const { status } = await sendOnce(rpc, transaction);
    return status === 'PENDING' || status === 'DUPLICATE';
  } catch (fault) {
    onFault(fault);
    return false;
  }
}

async function sendOnce(
  rpc: Rpc,
  { envelope, hash }: SignedTransaction,
): Promise<RpcAnswers['sendTransaction']> {
  const answer = await rpc.call('sendTransaction', { transaction: envelope });
  if (answer.hash !== undefined && answer.hash !== hash)
    throw new RpcFault('sendTransaction: the answer belongs to another transaction');
  return answer;
}

function rejected({ errorResultXdr }: RpcAnswers['sendTransaction']): Rejection {
  const result = readResult(errorResultXdr);
  if (result === undefined) return { state: 'rejected', reason: 'no reason given' };
  const { code, feeChargedStroops, isInner } = result;
  return { state: 'rejected', reason: code, askedStroops: feeChargedStroops, isInner };
}
