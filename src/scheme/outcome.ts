import { setTimeout as sleep } from 'node:timers/promises';
import type { RpcAnswers } from './rpc.ts';
import type { Validity } from './settlementTransaction.ts';
import { decodeResult, resultCode } from './result.ts';
import { resubmit } from './submission.ts';
import type { SubmissionDeps } from './submission.ts';

/** How a sent transaction ended. 'never': its validity has passed, and no ledger holds it. */
export type Outcome =
  | {
      status: 'success' | 'failed';
      ledger: number | undefined;
      feeChargedStroops: number | undefined;
      result: string;
    }
  | { status: 'never' };

export interface SentTransaction {
  /** 64 hex characters. */
  hash: string;
  /** Base64 XDR. */
  envelope: string;
  validity: Validity;
  /** The latest ledger before it was sent. */
  sentInLedger: number;
  /** Whether the network said that it has it. */
  isCertain: boolean;
}

/**
 * Waits for the end of a sent transaction, asking when ledgers should have closed; what may not have arrived is sent
 * once more for every ledger without it. It ends with certainty only: with a result, or with two answers in a row
 * that its validity has passed without it (one could have been put together across the close of a ledger). However
 * long that takes: the account that sent it is of no use until then.
 */
export async function awaitOutcome(
  deps: SubmissionDeps,
  { hash, envelope, validity, sentInLedger, isCertain }: SentTransaction,
  signal: AbortSignal,
): Promise<Outcome> {
  const { rpc, clock, limits, onFault } = deps;
  let hasArrived = isCertain;
  let resends = 0;
  let checkedLedger = sentInLedger;
  let pollsInLedger = 0;
  let answersPastValidity = 0;
  while (answersPastValidity < 2) {
    const backOffMs = limits.minPollIntervalMs * 2 ** pollsInLedger;
    const untilCloseMs = clock.untilLedgerAfterMs(checkedLedger, pollsInLedger < limits.maxGuessesPerLedger);
    const delayMs = Math.min(limits.maxPollIntervalMs, Math.max(backOffMs, untilCloseMs));
    await sleep(delayMs, undefined, { signal });
    pollsInLedger++;
    try {
      const answer = await rpc.call('getTransaction', { hash });
      clock.observe(answer);
      if (answer.status !== 'NOT_FOUND') return readResult(answer);
      answersPastValidity = isPast(validity, answer) ? answersPastValidity + 1 : 0;
      if (answer.latestLedger <= checkedLedger) continue;
      checkedLedger = answer.latestLedger;
      pollsInLedger = 0;
      if (!hasArrived && resends++ < limits.maxResends) hasArrived = await resubmit(deps, envelope);
    } catch (fault) {
      onFault(fault);
    }
  }
  return { status: 'never' };
}

/** The status is the network's word; what the result adds is for people. */
function readResult({ status, ledger, resultXdr }: RpcAnswers['getTransaction']): Outcome {
  const result = decodeResult(resultXdr);
  return {
    status: status === 'SUCCESS' ? 'success' : 'failed',
    ledger,
    feeChargedStroops: result && Number(result.feeCharged),
    result: result === undefined ? 'no result given' : resultCode(result),
  };
}

/** Whether every ledger that could hold the transaction has closed: close times only ever rise. */
function isPast({ maxTimeSeconds, lastLedger }: Validity, answer: RpcAnswers['getTransaction']): boolean {
  return Number(answer.latestLedgerCloseTime) > maxTimeSeconds || answer.latestLedger >= lastLedger;
}
