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
  let waiting: { key: string; bought: Bought; until: number }[] = [];

  return {
    put(key, bought) {
      waiting.push({ key, bought, until: now() + CALL_LIMITS.unclaimedForMs });
      waiting = waiting.slice(-CALL_LIMITS.maxUnclaimed);
    },
    take(key) {
      waiting = waiting.filter(({ until }) => until > now());
      const index = waiting.findIndex((entry) => entry.key === key);
      return index === -1 ? undefined : waiting.splice(index, 1)[0]?.bought;
    },
  };
}
