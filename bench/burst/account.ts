import type { Answer } from '../measuredServer.ts';
import type { AppliedTransaction, Ledger } from '../network.ts';
import { sum } from '../statistics.ts';

/** The outcome of a burst. */
export interface Burst {
  size: number;
  /** Answered as settled. */
  settled: number;
  /** Put on the ledger, successfully. */
  applied: number;
  /** Ledgers for which payments waited. */
  ledgers: number;
  /** Submitters that these ledgers had use for: as many as there are, or as payments waited. */
  places: number;
  longestWaitSeconds: number;
  feesOfFailuresStroops: number;
  /** Settled on the ledger and not by the answer, or the other way round. */
  untrueAnswers: number;
  /** Counts each reason that was given. */
  refusals: Record<string, number>;
}

/** A payment, what was said of it, and when. */
export interface Sent {
  answer: Answer;
  sentAtMs: number;
  answeredAtMs: number;
}

/** The ledger's acts from the burst on. */
export interface OnLedger {
  ledgers: readonly Ledger[];
  transactions: readonly AppliedTransaction[];
}

/** Holds the answers to the ledger, and counts what was made of each ledger. */
export function account(sent: readonly Sent[], onLedger: OnLedger, submitters: number): Burst {
  const applied = onLedger.transactions.filter(({ isSuccess }) => isSuccess);
  const failures = onLedger.transactions.filter(({ isSuccess }) => !isSuccess);
  const settled = sent.filter(isSettled);
  const settledHashes = new Set(settled.map(hashOf));
  const appliedHashes = new Set(applied.map(({ hash }) => hash));
  const untold = applied.filter(({ hash }) => !settledHashes.has(hash)).length;
  const invented = settled.filter((one) => !appliedHashes.has(hashOf(one))).length;
  const waiting = onLedger.ledgers
    .map((ledger) => countWaiting(ledger, sent, onLedger))
    .filter((count) => count > 0);
  return {
    size: sent.length,
    settled: settled.length,
    applied: applied.length,
    ledgers: waiting.length,
    places: sum(waiting.map((payments) => Math.min(payments, submitters))),
    longestWaitSeconds: Math.max(...sent.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs)) / 1000,
    feesOfFailuresStroops: sum(failures.map(({ feeStroops }) => feeStroops)),
    untrueAnswers: untold + invented,
    refusals: countReasons(sent.filter((one) => !isSettled(one))),
  };
}

const isSettled = ({ answer }: Sent): boolean => answer['success'] === true;
const hashOf = ({ answer }: Sent): string => String(answer['transaction']);

/** The payments that this ledger could have taken: sent before it closed, neither on the ledger nor refused by then. */
function countWaiting(
  { sequence, closedAtMs }: Ledger,
  sent: readonly Sent[],
  { transactions }: OnLedger,
): number {
  const ledgerOf = new Map(transactions.map(({ hash, ledger }) => [hash, ledger]));
  return sent.filter((one) => {
    if (one.sentAtMs > closedAtMs) return false;
    const ledger = ledgerOf.get(hashOf(one));
    return ledger === undefined ? one.answeredAtMs > closedAtMs : ledger >= sequence;
  }).length;
}

function countReasons(refused: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { answer } of refused) {
    const reason = String(answer['errorReason']);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
