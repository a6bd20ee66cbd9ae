import { setTimeout as sleep } from 'node:timers/promises';
import { lookAt } from './ledger.ts';
import type { Taking } from './ledger.ts';
import { FOLLOW_LIMITS } from './limits.ts';
import type { Pace } from './pace.ts';
import { RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';
import type { SignedPayment } from './wallet.ts';

/** What became of a payment that was sent. */
export type PaymentEnd =
  /** It was taken. The hash is null where the ledger shows that it was, and not by which transaction. */
  | ({ readonly status: 'settled' } & Taking)
  /** Its last ledger has closed, and it was not taken: nothing was paid, and nothing will be. */
  | { readonly status: 'notSettled' }
  /** The ledger could not be asked. */
  | { readonly status: 'unknown' };

/** A payment that is being followed on the ledger until its end is known. */
export interface Followed {
  /** Settled only by what the ledger shows; never rejects, and ends within a bounded time. */
  readonly ended: Promise<PaymentEnd>;
  /** Looks at once: there is a receipt with this hash, or at least no more to wait for. */
  hurry(claimed?: string): void;
  /** As far as is known by now. */
  soFar(): {
    /** The latest ledger up to which it was seen that the payment was not taken. */
    readonly openAtLedger: number | undefined;
    /** Whether the latest look got no answer, or there was none yet. */
    readonly isLedgerSilent: boolean;
    /** When the last ledger in which it can be taken should have closed: milliseconds from the latest look. */
    readonly expiresInMs: number | undefined;
    readonly end: PaymentEnd | undefined;
  };
}

export interface FollowDeps {
  rpc: Rpc;
  pace: Pace;
  now: () => number;
  /** Ends every wait; what is not known by then stays unknown. */
  closing: AbortSignal;
}

export function follow({ rpc, pace, now, closing }: FollowDeps, payment: SignedPayment): Followed {
  let claimed: string | undefined;
  let openAtLedger: number | undefined;
  let isLedgerSilent = true;
  let expiresInMs: number | undefined;
  /** That it was taken is never forgotten, whatever else is still looked for. */
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
      // Before the look, so that nothing that is said meanwhile is missed.
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
        // Ledgers do not close faster; and one answer may have been put together while one closed.
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
    // Whatever goes wrong here, a payment was sent: its end is not known then.
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
