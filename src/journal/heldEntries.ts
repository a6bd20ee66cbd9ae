import type { SQLInputValue } from 'node:sqlite';
import type { BazaarOutcome } from '../contract/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import type { JournalLimits } from './limits.ts';
import type { EntryTable } from './table.ts';

/** An entry that the file could not take, or whose outcome it could not take. */
export interface HeldEntry {
  readonly hash: string;
  /** See `JournalEntry.listing`. Undefined if none is to be written. */
  readonly listing: string | undefined;
  /** Undefined if it is not known. */
  readonly payer: string | undefined;
  /** See `JournalEntry.isStellarAsset`. */
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

export type EndedEntry = HeldEntry & {
  readonly end: HeldEnd;
  /** The outcome of its listing, if known. */
  readonly listed?: BazaarOutcome['status'];
};
export type SettledListing = EndedEntry & { readonly listing: string };

type Held = HeldEntry & { end?: HeldEnd; listed?: BazaarOutcome['status'] };

/** Holds entries in memory, within limits, while the journal's file cannot be written. */
export interface HeldEntries {
  /** Holds an entry until it is dropped. Returns false if there is no room. */
  keep(held: HeldEntry): boolean;
  /** Notes an outcome; the listing is due from now on. Returns false if the entry is not held. */
  end(hash: string, end: HeldEnd): boolean;
  /** Forgets the text of a listing that needs nothing more, and notes what became of it, if anything did. */
  list(hash: string, listed: BazaarOutcome['status'] | undefined): void;
  drop(hash: string): void;
  ended(hash: string): EndedEntry | undefined;
  allEnded(): EndedEntry[];
  due(hash: string): SettledListing | undefined;
  allDue(): SettledListing[];
}

export function createHeldEntries({
  heldKept,
  heldBytes,
}: Pick<JournalLimits, 'heldKept' | 'heldBytes'>): HeldEntries {
  const held = new Map<string, Held>();
  let bytes = 0;
  const bytesOf = (one: HeldEntry | undefined): number => Buffer.byteLength(one?.listing ?? '');
  const drop = (hash: string): void => {
    bytes -= bytesOf(held.get(hash));
    held.delete(hash);
  };

  return {
    keep(one) {
      drop(one.hash);
      const more = bytesOf(one);
      if (held.size >= heldKept || bytes + more > heldBytes) return false;
      bytes += more;
      held.set(one.hash, { ...one });
      return true;
    },
    end(hash, end) {
      const one = held.get(hash);
      if (one !== undefined) one.end = end;
      return one !== undefined;
    },
    list(hash, listed) {
      const one = held.get(hash);
      if (one === undefined) return;
      bytes -= bytesOf(one);
      held.set(hash, { ...one, listing: undefined, ...(listed && { listed }) });
    },
    drop,
    ended(hash) {
      const one = held.get(hash);
      return isEnded(one) ? one : undefined;
    },
    allEnded: () => [...held.values()].filter(isEnded),
    due(hash) {
      const one = held.get(hash);
      return isDue(one) ? one : undefined;
    },
    allDue: () => [...held.values()].filter(isDue),
  };
}

const isEnded = (one: Held | undefined): one is EndedEntry => one?.end !== undefined;
const isDue = (one: Held | undefined): one is SettledListing => isEnded(one) && one.listing !== undefined;

/** Writes the entries whose outcome memory holds to the file, as soon as the file takes them. */
export function writeHeld(held: HeldEntries, table: EntryTable): void {
  for (const entry of held.allEnded()) {
    try {
      writeEntry(entry, table);
    } catch {
      return;
    }
    held.drop(entry.hash);
  }
}

/** Throws if the file cannot be written. */
export function writeEntry({ hash, row, end, listed }: EndedEntry, table: EntryTable): void {
  if (row !== undefined) table.insert(row);
  table.end(end.row);
  if (listed !== undefined) table.dropListing(hash, listed, end.endedAtMs);
}
