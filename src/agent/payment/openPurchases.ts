import { Failure } from '../codes.ts';
import { CALL_LIMITS } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { Purchase } from './purchase.ts';

/**
 * Purchases whose end was not told yet, from before anything is signed. Calls that are made at the same time are two
 * calls and pay twice, whatever their arguments; but one that nobody waits for any more, or whose end its call could not
 * tell, is shared by the same call when it is made again, and nothing is paid anew.
 */
export interface OpenPurchases {
  /** What an earlier one of the same call has left; a failure where it came to no payment, which ends it. */
  findLeft(key: string): Promise<Bought | Failure> | undefined;
  /** Begins one, for a call that waits for it until its signal is aborted. */
  begin(
    call: { key: string; signal: AbortSignal },
    buy: () => Promise<Bought | Failure>,
  ): Promise<Bought | Failure>;
  /** The call that has begun it is over, whether or not it told the end. */
  leave(buying: Promise<Bought | Failure>): void;
  /** The end was told. */
  forget(bought: Bought): void;
}

/** A purchase, and of what. */
export interface Bought {
  readonly target: TargetName;
  readonly purchase: Purchase;
}

interface Entry {
  readonly key: string;
  readonly buying: Promise<Bought | Failure>;
  bought: Bought | undefined;
  /** Of the call that has begun it; undefined once that has ended. */
  signal: AbortSignal | undefined;
  readonly until: number;
}

export function createOpenPurchases(now: () => number): OpenPurchases {
  const entries = new Set<Entry>();

  function dropOld(): void {
    for (const entry of entries) {
      const { until, bought } = entry;
      if (until <= now() || bought?.purchase.followed.soFar().end?.status === 'notSettled')
        entries.delete(entry);
    }
  }

  return {
    findLeft(key) {
      dropOld();
      return [...entries].find((entry) => entry.key === key && entry.signal?.aborted !== false)?.buying;
    },
    begin({ key, signal }, buy) {
      dropOld();
      if (entries.size >= CALL_LIMITS.maxOpenPurchases) return Promise.resolve(tooMany());
      const entry: Entry = {
        key,
        buying: Promise.resolve().then(async () => {
          try {
            const bought = await buy();
            if (!(bought instanceof Failure)) entry.bought = bought;
            return bought;
          } finally {
            if (entry.bought === undefined) entries.delete(entry);
          }
        }),
        bought: undefined,
        signal,
        until: now() + CALL_LIMITS.openPurchaseForMs,
      };
      entries.add(entry);
      return entry.buying;
    },
    leave(buying) {
      for (const entry of entries) if (entry.buying === buying) entry.signal = undefined;
    },
    forget(bought) {
      for (const entry of entries) if (entry.bought === bought) entries.delete(entry);
    },
  };
}

function tooMany(): Failure {
  return new Failure(
    'svc_mcp_internal_error',
    `${CALL_LIMITS.maxOpenPurchases} payments are open already whose end was not told yet. Nothing was paid: make those calls again to learn their ends, or try later.`,
  );
}
