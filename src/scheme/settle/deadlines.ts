import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import type { Turn } from './channelAccounts.ts';
import type { Settlement } from './settlement.ts';
import type { Validity } from './settlementTransaction.ts';

/** Tells how much time a settlement has left. */
export interface Deadlines {
  /**
   * Returns how long a payment may wait for its turn: as long as a ledger that can take it may still close before the
   * answer is due.
   */
  turnOf(settlement: Settlement): Turn;
  /** True while another transaction could still reach a ledger before the seller gets its answer. */
  hasTimeLeft(settlement: Settlement): boolean;
  /**
   * Returns the validity of a transaction: the payment's own time, but no longer than a transaction may wait for its
   * ledger or the seller still waits, and no shorter than a ledger needs. It never goes beyond the authorization.
   */
  validityOf(settlement: Settlement): Validity;
}

export function createDeadlines(deps: {
  /** Monotonic milliseconds. */
  now: () => number;
  clock: LedgerClock;
  limits: Pick<SettleLimits, 'minInclusionSeconds' | 'maxInclusionSeconds'>;
}): Deadlines {
  const { now, clock, limits } = deps;
  return {
    turnOf({ payment: { lastLedger }, answerDeadline }) {
      const untilLastChanceMs = clock.untilLedgerAfterMs(lastLedger - 2, false);
      return {
        deadline: Math.min(answerDeadline - limits.minInclusionSeconds * 1000, now() + untilLastChanceMs),
        isOver: () => clock.latestLedger() >= lastLedger,
      };
    },
    hasTimeLeft: ({ answerDeadline, isAnswered }) =>
      !isAnswered && now() + limits.minInclusionSeconds * 1000 < answerDeadline,
    validityOf({ payment, answerDeadline }) {
      const untilAnswerSeconds = (answerDeadline - now()) / 1000;
      const seconds = Math.max(
        limits.minInclusionSeconds,
        Math.min(limits.maxInclusionSeconds, payment.maxTimeoutSeconds, untilAnswerSeconds),
      );
      return {
        maxTimeSeconds: clock.networkSeconds() + Math.ceil(seconds),
        lastLedger: payment.lastLedger,
      };
    },
  };
}
