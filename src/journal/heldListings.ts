import type { SQLInputValue } from 'node:sqlite';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import type { JournalLimits } from './limits.ts';

/** A listing that the file could not take. */
export interface HeldListing {
  readonly hash: string;
  /** See `JournalEntry.listing`. */
  readonly listing: string;
  /** See `JournalEntry`. */
  readonly isStellarAsset: boolean;
  /** The parameters of the journal's INSERT; undefined if the file already has the entry. */
  readonly row: readonly SQLInputValue[] | undefined;
}

/** The outcome of its settlement. */
export interface HeldEnd {
  readonly endedAtMs: number;
  readonly ledgerClose: LedgerClose | undefined;
  /** The parameters of the journal's UPDATE. */
  readonly row: readonly SQLInputValue[];
}

export type SettledListing = HeldListing & { readonly end: HeldEnd };

/** Holds listings in memory, within limits, while the journal's file cannot be written. */
export interface HeldListings {
  /** Holds a listing until it is dropped. Returns false if there is no room. */
  keep(held: HeldListing): boolean;
  /** Marks a listing as due, since its payment settled. Returns false if it is not held. */
  settle(hash: string, end: HeldEnd): boolean;
  drop(hash: string): void;
  due(hash: string): SettledListing | undefined;
  allDue(): SettledListing[];
}

export function createHeldListings({
  heldKept,
  heldBytes,
}: Pick<JournalLimits, 'heldKept' | 'heldBytes'>): HeldListings {
  const held = new Map<string, HeldListing & { end?: HeldEnd }>();
  let bytes = 0;
  const drop = (hash: string): void => {
    bytes -= Buffer.byteLength(held.get(hash)?.listing ?? '');
    held.delete(hash);
  };
  const isDue = (one: (HeldListing & { end?: HeldEnd }) | undefined): one is SettledListing =>
    one?.end !== undefined;

  return {
    keep(one) {
      drop(one.hash);
      const more = Buffer.byteLength(one.listing);
      if (held.size >= heldKept || bytes + more > heldBytes) return false;
      bytes += more;
      held.set(one.hash, { ...one });
      return true;
    },
    settle(hash, end) {
      const one = held.get(hash);
      if (one !== undefined) one.end = end;
      return one !== undefined;
    },
    drop,
    due(hash) {
      const one = held.get(hash);
      return isDue(one) ? one : undefined;
    },
    allDue: () => [...held.values()].filter(isDue),
  };
}
