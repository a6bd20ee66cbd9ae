import type { DatabaseSync } from 'node:sqlite';
import type { ListingBatch } from '../store.ts';
import type { FillLimits } from '../limits.ts';
import { createIndexFill } from './indexFill.ts';
import { closeIn, readItem } from './listingRow.ts';
import { createListingInsert, type ListingWriter } from './listingWriter.ts';
import { hashOf, keyOf } from './logListing.ts';

/** Fills an empty index, listing by listing in order of their ids. A part of it is only in memory until it ends. */
export interface ReplicaFill {
  /** The last listing that was entered. */
  readonly to: number;
  /** Where in the log the index stands once it is filled: what was written since the fill began comes after. */
  readonly position: number;
  readonly checksum: bigint;
  /** True if what is gathered must be written before more can be entered. */
  readonly isFull: boolean;
  enter(batch: ListingBatch): void;
  /** Writes some of what is gathered. Returns true if all listings are entered and written. */
  write(): boolean;
}

export function createReplicaFill(
  db: DatabaseSync,
  { state, keepEarlier, flush }: Pick<ListingWriter, 'state' | 'keepEarlier' | 'flush'>,
  limits: FillLimits,
): ReplicaFill {
  const index = createIndexFill(db);
  const insert = createListingInsert(db, index);
  let [to, position, checksum] = [0, 0, 0n];
  let isFull = false;
  let isLast = false;

  return {
    get to() {
      return to;
    },
    get position() {
      return position;
    },
    get checksum() {
      return checksum;
    },
    get isFull() {
      return isFull;
    },
    enter({ after, entries, earlierWordings, ...batch }) {
      const now = state();
      for (const entry of entries) {
        const { listing: id, owner, item: text, ledger, closedAt } = entry;
        checksum ^= hashOf({ id, ...entry });
        const item = readItem(text);
        if (item === undefined) continue;
        const content = { item, text, close: closeIn(ledger, closedAt), position: entry.position };
        insert({ id, key: keyOf(item), owner, ...content }, now);
        now.listings = id;
      }
      for (const { reworded, listing, ...earlier } of earlierWordings) {
        now.clock = Math.max(now.clock, reworded);
        keepEarlier(reworded, listing, earlier);
      }
      index.flush();
      flush(now);
      if (after === 0) position = batch.position;
      to = batch.to;
      isLast = batch.isLast;
      isFull = isLast || index.bytes >= limits.bytes;
    },
    write() {
      if (index.write(limits.rowsPerStep)) isFull = false;
      return isLast && !isFull;
    },
  };
}
