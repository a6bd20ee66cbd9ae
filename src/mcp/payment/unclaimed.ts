import { CALL_LIMITS } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { Purchase } from './purchase.ts';

/**
 * Purchases whose call could not tell their end: it had to answer before, or was given up by the host. The same call
 * made again takes its purchase from here and does not pay anew.
 */
export interface Unclaimed {
  put(key: string, bought: Bought): void;
  take(key: string): Bought | undefined;
}

/** A purchase, and of what. */
export interface Bought {
  readonly target: TargetName;
  readonly purchase: Purchase;
}

export function createUnclaimed(now: () => number): Unclaimed {
  const waiting = new Map<string, { bought: Bought; until: number }>();

  function forgetOld(): void {
    for (const [key, { until }] of waiting) {
      if (until <= now() || waiting.size > CALL_LIMITS.maxUnclaimed) waiting.delete(key);
    }
  }

  return {
    put(key, bought) {
      waiting.delete(key);
      waiting.set(key, { bought, until: now() + CALL_LIMITS.unclaimedForMs });
      forgetOld();
    },
    take(key) {
      forgetOld();
      const found = waiting.get(key);
      waiting.delete(key);
      return found?.bought;
    },
  };
}
