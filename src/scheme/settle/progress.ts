/** Tracks how far a settlement has come, and how much time it has left. */
import type { JournaledEnd } from './journal.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import type { PendingPayment } from '../payment.ts';
import type { Validity } from './settlementTransaction.ts';
import type { Turn } from './submitters.ts';

interface TimeDeps {
  now: () => number;
  clock: LedgerClock;
  limits: SettleLimits;
}

export interface Progress {
  /** The moment at which the seller's answer is due. */
  readonly answerDeadline: number;
  /** True once its turn has come: nothing else works on the same authorization. */
  hasStarted: boolean;
  /** True once it was verified. */
  isVerified: boolean;
  /** The transaction that was sent last, or is about to be sent. */
  hash: string | undefined;
  /** True once the seller has its answer. The answer names what was sent, so nothing else may be sent any more. */
  isAnswered: boolean;
  /** True if the network rejects every transaction from the submitter. */
  isLaneUnfit: boolean;
  /** Rejected attempts by hash. Their journal entries stay open until the payment's outcome is known. */
  readonly rejected: Map<string, JournaledEnd>;
}

/**
 * Returns how long a payment may wait for a submitter: while a ledger is left that can take it, with time for that
 * ledger before the answer is due.
 */
export function turnOf(
  { now, clock, limits }: TimeDeps,
  payment: PendingPayment,
  { answerDeadline }: Progress,
): Turn {
  const { lastLedger } = payment;
  const untilLastChanceMs = clock.untilLedgerAfterMs(lastLedger - 2, false);
  return {
    deadline: Math.min(answerDeadline - limits.minInclusionSeconds * 1000, now() + untilLastChanceMs),
    isOver: () => clock.latestLedger() >= lastLedger,
  };
}

/** True while another transaction could still reach a ledger before the seller gets its answer. */
export function hasTimeLeft({ now, limits }: TimeDeps, { answerDeadline, isAnswered }: Progress): boolean {
  return !isAnswered && now() + limits.minInclusionSeconds * 1000 < answerDeadline;
}

/**
 * Returns the validity of a transaction: the payment's own time, but no longer than a ledger may take or the seller
 * still waits, and no shorter than a ledger needs. It never goes beyond the authorization.
 */
export function validityOf(
  { now, clock, limits }: TimeDeps,
  payment: PendingPayment,
  { answerDeadline }: Progress,
): Validity {
  const untilAnswerSeconds = (answerDeadline - now()) / 1000;
  const seconds = Math.max(
    limits.minInclusionSeconds,
    Math.min(limits.maxInclusionSeconds, payment.maxTimeoutSeconds, untilAnswerSeconds),
  );
  return {
    maxTimeSeconds: clock.networkSeconds() + Math.ceil(seconds),
    lastLedger: payment.lastLedger,
  };
}
