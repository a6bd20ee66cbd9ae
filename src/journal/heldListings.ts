import type { SQLInputValue } from 'node:sqlite';
import type { JournalLimits } from './limits.ts';

/** A listing that the file could not take. */
export interface HeldListing {
  readonly hash: string;
  /** See `JournalEntry.listing`. */
  readonly listing: string;
  /** Of the entry's row, where the file has none. */
  readonly row: readonly SQLInputValue[] | undefined;
}

/** Its settlement's end. */
export interface HeldEnd {
  readonly endedAtMs: number;
  readonly closedAtSeconds: number | undefined;
  /** Of the row, as the file would have it. */
  readonly row: readonly SQLInputValue[];
}

export type SettledListing = HeldListing & { readonly end: HeldEnd };

/** In memory, within limits: what is due of payments that a journal which cannot be written knows nothing of. */
export interface HeldListings {
  /** Holds it until it is dropped; false where there is no room. */
  keep(held: HeldListing): boolean;
  /** Its payment settled: it is due. False where it is not held. */
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
    bytes -= held.get(hash)?.listing.length ?? 0;
    held.delete(hash);
  };
  const isDue = (one: (HeldListing & { end?: HeldEnd }) | undefined): one is SettledListing =>
    one?.end !== undefined;

  return {
    keep(one) {
      drop(one.hash);
      if (held.size >= heldKept || bytes + one.listing.length > heldBytes) return false;
      bytes += one.listing.length;
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
