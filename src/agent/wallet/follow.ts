import { setTimeout as sleep } from 'node:timers/promises';
import { lookAt } from './ledger.ts';
import type { Pace, PaceDeps } from './pace.ts';
import { RpcUnavailable } from './rpc.ts';
import { createSightings, type PaymentEnd, type SoFar } from './sightings.ts';
import type { SignedPayment } from './payment.ts';

/** Follows a payment on the ledger until its outcome is known. */
export interface Followed {
  /** The outcome, settled only by what the ledger shows. Never rejects, and resolves within a limited time. */
  readonly ended: Promise<PaymentEnd>;
  /** Looks at once, since the target has answered, perhaps with a receipt that has this hash. */
  hurry(claimed?: string): void;
  /** Returns what is known so far. */
  soFar(): SoFar;
}

export interface FollowDeps extends PaceDeps {
  pace: Pace;
  /** Ends every wait. An outcome that is not known by then stays unknown. */
  closing: AbortSignal;
}

export function follow(deps: FollowDeps, payment: SignedPayment): Followed {
  const { rpc, pace, limits, now, closing } = deps;
  const sightings = createSightings(deps, payment);
  let claimed: string | undefined;
  let hurried = Promise.withResolvers<void>();
  let looksSinceHurry = 0;
  let end: PaymentEnd | undefined;

  const pause = (ms: number): Promise<unknown> => sleep(ms, undefined, { signal: closing }).catch(() => {});

  async function toEnd(): Promise<PaymentEnd> {
    const giveUpAt = now() + limits.giveUpAfterMs;
    const ledgerMs = await pace.ledgerMs();
    const lookEveryMs = between(limits.minLookEveryMs, ledgerMs, limits.maxLookEveryMs);
    await Promise.race([hurried.promise, pause(limits.firstLookAfterMs)]);
    while (!closing.aborted && now() < giveUpAt) {
      // Reset before the look, so that a call of `hurry` during the look is not missed.
      hurried = Promise.withResolvers<void>();
      const found = sightings.add(await lookIfAnswered(), ledgerMs);
      if (found !== undefined) return found;
      const quickMs = limits.minLookEveryMs * 2 ** looksSinceHurry++;
      await Promise.race([hurried.promise, pause(Math.min(quickMs, lookEveryMs))]);
    }
    return sightings.soFar().end ?? { status: 'unknown' };
  }

  const lookIfAnswered = () =>
    lookAt({ rpc, limits }, payment, claimed).catch((error: unknown) => {
      if (error instanceof RpcUnavailable) return undefined;
      throw error;
    });

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
    soFar: () => ({ ...sightings.soFar(), ...(end && { end }) }),
  };
}

function between(min: number, value: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
