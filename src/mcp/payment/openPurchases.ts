import { Failure } from '../codes.ts';
import { CALL_LIMITS } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { Purchase } from './purchase.ts';

/**
 * Purchases whose end was not told yet, one for each call: from before anything is signed until a call has told the
 * end. The same call made meanwhile, or made again, shares its purchase and does not pay anew.
 */
export interface OpenPurchases {
  /** What the same call has begun; a failure where it came to no payment, which ends it. */
  find(key: string): Promise<Bought | Failure> | undefined;
  /** Begins one. Throws where there is one already. */
  begin(key: string, buy: () => Promise<Bought | Failure>): Promise<Bought | Failure>;
  /** Ends it, unless another one has taken its place. */
  forget(key: string, bought: Bought): void;
}

/** A purchase, and of what. */
export interface Bought {
  readonly target: TargetName;
  readonly purchase: Purchase;
}

interface Entry {
  buying: Promise<Bought | Failure>;
  bought: Bought | undefined;
  until: number;
}

export function createOpenPurchases(now: () => number): OpenPurchases {
  const entries = new Map<string, Entry>();

  function dropOld(): void {
    for (const [key, { until, bought }] of entries) {
      if (until <= now() || bought?.purchase.followed.soFar().end?.status === 'notSettled')
        entries.delete(key);
    }
  }

  return {
    find(key) {
      dropOld();
      return entries.get(key)?.buying;
    },
    begin(key, buy) {
      dropOld();
      if (entries.has(key)) throw new Error('the same call has begun a purchase already');
      if (entries.size >= CALL_LIMITS.maxOpenPurchases) return Promise.resolve(tooMany());
      const entry: Entry = {
        buying: Promise.resolve().then(async () => {
          try {
            const bought = await buy();
            if (!(bought instanceof Failure)) entry.bought = bought;
            return bought;
          } finally {
            if (entry.bought === undefined) entries.delete(key);
          }
        }),
        bought: undefined,
        until: now() + CALL_LIMITS.openPurchaseForMs,
      };
      entries.set(key, entry);
      return entry.buying;
    },
    forget(key, bought) {
      if (entries.get(key)?.bought === bought) entries.delete(key);
    },
  };
}

function tooMany(): Failure {
  return new Failure(
    'svc_mcp_internal_error',
    `${CALL_LIMITS.maxOpenPurchases} payments are open already whose end was not told yet. Nothing was paid: make those calls again to learn their ends, or try later.`,
  );
}
