import { setTimeout as sleep } from 'node:timers/promises';
import { lookAt } from './ledger.ts';
import type { Taking } from './ledger.ts';
import { FOLLOW_LIMITS } from './limits.ts';
import type { Pace } from './pace.ts';
import { RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { SignedPayment } from './wallet.ts';

/** The outcome of a payment that was sent. */
export type PaymentEnd =
  /** It was taken. The hash is null if the ledger shows that it was taken, but not by which transaction. */
  | ({ readonly status: 'settled' } & Taking)
  /** Its last ledger has closed, and it was not taken: nothing was paid, and nothing will be. */
  | { readonly status: 'notSettled' }
  /** The ledger did not show the outcome. */
  | { readonly status: 'unknown' };

/** Follows a payment on the ledger until its outcome is known. */
export interface Followed {
  /** The outcome, settled only by what the ledger shows. Never rejects, and resolves within a limited time. */
  readonly ended: Promise<PaymentEnd>;
  /** Looks at once, since the target has answered, perhaps with a receipt that has this hash. */
  hurry(claimed?: string): void;
  /** Returns what is known so far. */
  soFar(): {
    /** The latest ledger that was seen while the payment was not taken. */
    readonly openAtLedger: number | undefined;
    /** True when the latest look got no answer, or there was no look yet. */
    readonly isLedgerSilent: boolean;
    /** Milliseconds from the latest look until the last ledger that can take the payment should have closed. */
    readonly expiresInMs: number | undefined;
    readonly end: PaymentEnd | undefined;
  };
}

export interface FollowDeps {
  rpc: Rpc;
  pace: Pace;
  now: () => number;
  /** Ends every wait. An outcome that is not known by then stays unknown. */
  closing: AbortSignal;
}

export function follow({ rpc, pace, now, closing }: FollowDeps, payment: SignedPayment): Followed {
  let claimed: string | undefined;
  let openAtLedger: number | undefined;
  let isLedgerSilent = true;
  let expiresInMs: number | undefined;
  /** Set once the payment was taken, and never cleared, whatever else is still looked for. */
  let taken: Taking | undefined;
  let deadLooks = 0;
  let end: PaymentEnd | undefined;
  let hurried = Promise.withResolvers<void>();
  let looksSinceHurry = 0;

  async function toEnd(): Promise<PaymentEnd> {
    const giveUpAt = now() + FOLLOW_LIMITS.giveUpAfterMs;
    const ledgerMs = await pace.ledgerMs();
    const lookEveryMs = between(FOLLOW_LIMITS.minLookEveryMs, ledgerMs, FOLLOW_LIMITS.maxLookEveryMs);
    await Promise.race([hurried.promise, pause(FOLLOW_LIMITS.firstLookAfterMs)]);
    while (!closing.aborted && now() < giveUpAt) {
      // Reset before the look, so that a call of `hurry` during the look is not missed.
      hurried = Promise.withResolvers<void>();
      const seen = await look(ledgerMs);
      if (seen !== undefined) return seen;
      const quickMs = FOLLOW_LIMITS.minLookEveryMs * 2 ** looksSinceHurry++;
      await Promise.race([hurried.promise, pause(Math.min(quickMs, lookEveryMs))]);
    }
    return takenEnd() ?? { status: 'unknown' };
  }

  const takenEnd = (): PaymentEnd | undefined => taken && { status: 'settled', ...taken };

  let looksForHash = 0;
  async function look(ledgerMs: number): Promise<PaymentEnd | undefined> {
    try {
      const sight = await lookAt(rpc, payment, claimed);
      isLedgerSilent = false;
      if (sight.state === 'expired') {
        // Ledgers don't close faster. One answer is not enough: a ledger may have closed while it was put together.
        const isCredible = now() >= payment.holdsUntilMs && taken === undefined;
        if (isCredible && ++deadLooks >= FOLLOW_LIMITS.looksBeforeDead) return { status: 'notSettled' };
        isLedgerSilent = true;
        return undefined;
      }
      if (sight.state === 'open') {
        deadLooks = 0;
        openAtLedger = sight.latestLedger;
        expiresInMs = (payment.validUntilLedger - openAtLedger) * ledgerMs;
        return undefined;
      }
      looksForHash += 1;
      const { transaction, claim } = sight;
      taken = { transaction, claim };
      const isEnough = transaction !== null || looksForHash >= FOLLOW_LIMITS.maxLooksForHash;
      return isEnough ? takenEnd() : undefined;
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error;
      isLedgerSilent = true;
      return undefined;
    }
  }

  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal: closing }).catch(() => {});

  return {
    // A payment was sent: if anything goes wrong here, its outcome is unknown.
    ended: toEnd()
      .catch(() => ({ status: 'unknown' }) as const)
      .then((known) => (end = known)),
    hurry(hash) {
      claimed = hash ?? claimed;
      looksSinceHurry = 0;
      hurried.resolve();
    },
    soFar: () => ({ openAtLedger, isLedgerSilent, expiresInMs, end: end ?? takenEnd() }),
  };
}

function between(min: number, value: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
