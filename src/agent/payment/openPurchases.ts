import { Failure } from '../codes.ts';
import type { AgentLimits } from '../limits.ts';
import type { TargetName } from '../target/resolve.ts';
import type { Purchase } from './purchase.ts';

/**
 * Holds a session's purchases whose outcome was not reported yet, from before anything is signed. Calls that are made at
 * the same time are separate and each pays, whatever their arguments. But if nobody waits for a purchase any more, or its
 * call could not report the outcome, the same call made again takes it over and pays nothing more.
 */
export interface OpenPurchases {
  /**
   * Returns what an earlier, identical call left behind: of this session, or of one that is over. A failure means that it
   * paid nothing; it is then removed.
   */
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
  /** Ends the session: any other may take over what it left behind. */
  end(): void;
}

/** A purchase and its target. */
export interface Bought {
  readonly target: TargetName;
  readonly purchase: Purchase;
}

export interface OpenPurchasesDeps {
  now: () => number;
  limits: Pick<AgentLimits, 'maxOpenPurchases' | 'maxOpenPurchasesInAll' | 'openPurchaseForMs'>;
}

interface Owner {
  isOver: boolean;
}

interface Entry {
  readonly owner: Owner;
  readonly key: string;
  readonly buying: Promise<Bought | Failure>;
  bought: Bought | undefined;
  /** The signal of the call that began it; undefined once that call is over. */
  signal: AbortSignal | undefined;
  readonly until: number;
}

/** Returns a function that opens the purchases of one more session. */
export function createOpenPurchases({ now, limits }: OpenPurchasesDeps): () => OpenPurchases {
  const entries = new Set<Entry>();
  const openOf = (owner: Owner): number => [...entries].filter((entry) => entry.owner === owner).length;
  const isFullOf = (owner: Owner): boolean => openOf(owner) >= limits.maxOpenPurchases;
  const isFull = (): boolean => entries.size >= limits.maxOpenPurchasesInAll;

  function dropOld(owner: Owner): void {
    const [mustShrinkAll, mustShrinkOwn] = [isFull(), isFullOf(owner)];
    for (const entry of entries) {
      const { until, bought } = entry;
      const mustShrink = mustShrinkAll || (mustShrinkOwn && entry.owner === owner);
      const isUnneeded = isUnpaid(bought) && (mustShrink || bought?.purchase.claimed() === undefined);
      if (until <= now() || isUnneeded) entries.delete(entry);
    }
  }

  function add(owner: Owner, key: string, signal: AbortSignal, buy: () => Promise<Bought | Failure>): Entry {
    const entry: Entry = {
      ...{ owner, key, signal, bought: undefined, until: now() + limits.openPurchaseForMs },
      buying: Promise.resolve().then(async () => {
        try {
          const bought = await buy();
          if (!(bought instanceof Failure)) entry.bought = bought;
          return bought;
        } finally {
          if (entry.bought === undefined) entries.delete(entry);
        }
      }),
    };
    entries.add(entry);
    return entry;
  }

  return () => {
    const owner: Owner = { isOver: false };
    return {
      findLeft(key) {
        dropOld(owner);
        const isLeft = (entry: Entry): boolean =>
          entry.key === key &&
          entry.signal?.aborted !== false &&
          (entry.owner === owner || entry.owner.isOver);
        return [...entries].find(isLeft)?.buying;
      },
      begin({ key, signal }, buy) {
        dropOld(owner);
        return isFull() || isFullOf(owner)
          ? Promise.resolve(tooMany(openOf(owner), entries.size))
          : add(owner, key, signal, buy).buying;
      },
      leave(buying) {
        for (const entry of entries) if (entry.buying === buying) entry.signal = undefined;
      },
      forget(bought) {
        for (const entry of entries) if (entry.bought === bought) entries.delete(entry);
      },
      end: () => void (owner.isOver = true),
    };
  };
}

/** True when a purchase was not paid and never will be. If its target said otherwise, that is still to be told. */
function isUnpaid(bought: Bought | undefined): boolean {
  return bought?.purchase.followed.soFar().end?.status === 'notSettled';
}

function tooMany(own: number, inAll: number): Failure {
  const open =
    own === inAll ? `${own} payments are open` : `${own} payments are open here, and ${inAll} in all`;
  return new Failure(
    'svc_mcp_busy',
    `${open}, and their outcomes are not reported yet. Nothing was paid: make those calls again to learn their outcomes, or try later.`,
  );
}
