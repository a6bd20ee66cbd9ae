import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerClock } from './ledgerClock.ts';
import type { SettleLimits } from './limits.ts';
import { decodeResult, resultCode } from './result.ts';
import type { Rpc, RpcAnswers } from './rpc.ts';

export interface SubmissionDeps {
  rpc: Rpc;
  clock: LedgerClock;
  limits: SettleLimits;
  /** Hears of the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/** 'sent': the network has it, or may have it. 'rejected': it never had it. */
export type Submission = { status: 'sent' } | { status: 'rejected'; reason: string };

/**
 * Sends a signed transaction; sends the same bytes again while the network is busy or silent, which can never pay
 * twice. Once an answer was lost, only the ledger can say what became of it: it counts as sent.
 */
export async function submit(deps: SubmissionDeps, transaction: string): Promise<Submission> {
  const { rpc, clock, limits, onFault } = deps;
  let mayBePending = false;
  for (let resends = 0; resends <= limits.maxResends; resends++) {
    if (resends > 0) await sleep(limits.resendAfterMs);
    try {
      const answer = await rpc.call('sendTransaction', { transaction });
      clock.observe(answer);
      if (answer.status === 'ERROR' && !mayBePending) return { status: 'rejected', reason: reasonOf(answer) };
      if (answer.status !== 'TRY_AGAIN_LATER') return { status: 'sent' };
    } catch (fault) {
      mayBePending = true;
      onFault(fault);
    }
  }
  return mayBePending ? { status: 'sent' } : { status: 'rejected', reason: 'TRY_AGAIN_LATER' };
}

function reasonOf({ errorResultXdr }: RpcAnswers['sendTransaction']): string {
  const result = errorResultXdr === undefined ? undefined : decodeResult(errorResultXdr);
  return result === undefined ? 'no reason given' : resultCode(result);
}
