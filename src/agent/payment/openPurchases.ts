import { Failure } from '../codes.ts';
import type { AgentLimits } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { Purchase } from './purchase.ts';

/**
 * Holds the purchases whose outcome was not reported yet, from before anything is signed. Calls that are made at the
 * same time are separate and each pays, whatever their arguments. But if nobody waits for a purchase any more, or its
 * call could not report the outcome, the same call made again takes it over and pays nothing more.
 */
export interface OpenPurchases {
  /** Returns what an earlier, identical call left behind. A failure means that it paid nothing; it is then removed. */
  findLeft(key: string): Promise<Bought | Failure> | undefined;
  /** Begins a purchase for a call, which waits for it until its signal is aborted. */
  begin(
    call: { key: string; signal: AbortSignal },
    buy: () => Promise<Bought | Failure>,
  ): Promise<Bought | Failure>;
  /** Records that the call that began it is over, whether or not it reported the outcome. */
  leave(buying: Promise<Bought | Failure>): void;
  /** Removes a purchase that no call needs any more. */
  forget(bought: Bought): void;
}

/** A purchase and its target. */
export interface Bought {
  readonly target: TargetName;
  readonly purchase: Purchase;
}

export interface OpenPurchasesDeps {
  now: () => number;
  limits: Pick<AgentLimits, 'maxOpenPurchases' | 'openPurchaseForMs'>;
}

interface Entry {
  readonly key: string;
  readonly buying: Promise<Bought | Failure>;
  bought: Bought | undefined;
  /** The signal of the call that began it; undefined once that call is over. */
  signal: AbortSignal | undefined;
  readonly until: number;
}

export function createOpenPurchases({ now, limits }: OpenPurchasesDeps): OpenPurchases {
  const entries = new Set<Entry>();

  function dropOld(): void {
    const isFull = entries.size >= limits.maxOpenPurchases;
    for (const entry of entries) {
      const { until, bought } = entry;
      const isUnneeded = isUnpaid(bought) && (isFull || bought?.purchase.claimed() === undefined);
      if (until <= now() || isUnneeded) entries.delete(entry);
    }
  }

  return {
    findLeft(key) {
      dropOld();
      return [...entries].find((entry) => entry.key === key && entry.signal?.aborted !== false)?.buying;
    },
    begin({ key, signal }, buy) {
      dropOld();
      if (entries.size >= limits.maxOpenPurchases) return Promise.resolve(tooMany(entries.size));
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
        until: now() + limits.openPurchaseForMs,
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

/** True when a purchase was not paid and never will be. If its target said otherwise, that is still to be told. */
function isUnpaid(bought: Bought | undefined): boolean {
  return bought?.purchase.followed.soFar().end?.status === 'notSettled';
}

function tooMany(open: number): Failure {
  return new Failure(
    'svc_mcp_busy',
    `${open} payments are open, and their outcomes are not reported yet. Nothing was paid: make those calls again to learn their outcomes, or try later.`,
  );
}
