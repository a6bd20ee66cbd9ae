/** How far a settlement has come, and how much time it has left. */
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

/** How far a settlement has come. */
export interface Progress {
  /** The moment at which the seller gets its answer. */
  readonly answerDeadline: number;
  /** Its turn has come: nothing else works on the same authorization. */
  hasStarted: boolean;
  /** It proved good. */
  isVerified: boolean;
  /** The transaction that was sent last, or is about to be. */
  hash: string | undefined;
  /** The seller has its answer, which names what was sent until then: nothing else may be sent any more. */
  isAnswered: boolean;
  /** The network takes nothing from the submitter. */
  isLaneUnfit: boolean;
  /** By hash, what was rejected: in the journal it is open until the payment's end is known. */
  readonly rejected: Map<string, JournaledEnd>;
}

/**
 * A payment may wait for a submitter while there is a ledger left that can take it, and time for that ledger before
 * the answer is due.
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

/** Whether another transaction could still find its ledger before the seller gets its answer. */
export function hasTimeLeft({ now, limits }: TimeDeps, { answerDeadline, isAnswered }: Progress): boolean {
  return !isAnswered && now() + limits.minInclusionSeconds * 1000 < answerDeadline;
}

/** The payment's own time, within what a ledger needs and the seller still waits; never beyond its authorization. */
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
