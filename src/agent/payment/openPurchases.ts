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
  /** Records that the call that began it no longer waits for it, whether or not that call reported the outcome. */
  leave(buying: Promise<Bought | Failure>): void;
  /**
   * Records that a call got the final result, which is on its way until it is delivered or the call's signal is aborted. So
   * long nobody else gets the purchase, and it does not count for the limit.
   */
  answer(bought: Bought, signal: AbortSignal): void;
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
  isAnswered: boolean;
  /** The signal of the call that waits for it; undefined if none does. */
  signal: AbortSignal | undefined;
  readonly until: number;
}

/** Returns a function that opens the purchases of one more session. */
export function createOpenPurchases(deps: OpenPurchasesDeps): () => OpenPurchases {
  const shelf: Shelf = { ...deps, entries: new Set() };
  const { entries } = shelf;
  return () => {
    const owner: Owner = { isOver: false };
    const entryOf = (bought: Bought): Entry | undefined =>
      [...entries].find((entry) => entry.bought === bought);
    return {
      findLeft(key) {
        dropOld(shelf, owner);
        return [...entries].find((entry) => entry.key === key && isLeftTo(owner, entry))?.buying;
      },
      begin({ key, signal }, buy) {
        dropOld(shelf, owner);
        return isFull(shelf) || isFullOf(shelf, owner)
          ? Promise.resolve(tooMany(openOf(shelf, owner), entries.size))
          : add(shelf, { owner, key, signal }, buy).buying;
      },
      leave(buying) {
        for (const entry of entries) if (entry.buying === buying) entry.signal = undefined;
      },
      answer(bought, signal) {
        const entry = entryOf(bought);
        if (entry !== undefined) Object.assign(entry, { signal, isAnswered: true });
      },
      forget(bought) {
        const entry = entryOf(bought);
        if (entry !== undefined) entries.delete(entry);
      },
      end: () => void (owner.isOver = true),
    };
  };
}

interface Shelf extends OpenPurchasesDeps {
  readonly entries: Set<Entry>;
}

function openOf({ entries }: Shelf, owner: Owner): number {
  return [...entries].filter((entry) => entry.owner === owner && !isOnItsWay(entry)).length;
}

const isFullOf = (shelf: Shelf, owner: Owner): boolean =>
  openOf(shelf, owner) >= shelf.limits.maxOpenPurchases;

const isFull = ({ entries, limits }: Shelf): boolean => entries.size >= limits.maxOpenPurchasesInAll;

function dropOld(shelf: Shelf, owner: Owner): void {
  const [mustShrinkAll, mustShrinkOwn] = [isFull(shelf), isFullOf(shelf, owner)];
  for (const entry of shelf.entries) {
    const { until, bought } = entry;
    const mustShrink = mustShrinkAll || (mustShrinkOwn && entry.owner === owner);
    const isUnneeded = isUnpaid(bought) && (mustShrink || bought?.purchase.claimed() === undefined);
    if (until <= shelf.now() || isUnneeded) shelf.entries.delete(entry);
  }
}

function add(
  { entries, now, limits }: Shelf,
  begun: Pick<Entry, 'owner' | 'key' | 'signal'>,
  buy: () => Promise<Bought | Failure>,
): Entry {
  const entry: Entry = {
    ...{ ...begun, bought: undefined, isAnswered: false, until: now() + limits.openPurchaseForMs },
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

/** True if nobody waits for a purchase, and it was this session's, or that of one that is over. */
function isLeftTo(owner: Owner, entry: Entry): boolean {
  return entry.signal?.aborted !== false && (entry.owner === owner || entry.owner.isOver);
}

const isOnItsWay = ({ isAnswered, signal }: Entry): boolean => isAnswered && signal?.aborted === false;

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
