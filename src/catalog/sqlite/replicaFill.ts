import type { DatabaseSync } from 'node:sqlite';
import type { FillLimits } from '../limits.ts';
import { createFillBlocks } from './fillBlocks.ts';
import { createIndexFill } from './indexFill.ts';
import { createListingInsert, type ListingWriter } from './listingWriter.ts';
import type { PreparedListings } from './preparedListings.ts';
import { readRows } from './preparedRows.ts';

/** Fills an empty index, listing by listing in order of their ids. A part of it is only in memory until it ends. */
export interface ReplicaFill {
  /** The last listing that was entered. */
  readonly to: number;
  /** The index's position in the log once it is filled. Entries that were written during the fill come after it. */
  readonly position: number;
  readonly checksum: bigint;
  /** True if `write` comes next: more than is gathered already would take too much memory, or too long in the end. */
  readonly isFull: boolean;
  /** True if all listings are entered and written. */
  readonly isDone: boolean;
  enter(listings: PreparedListings): void;
  /** Writes some of what is gathered. */
  write(): void;
}

export function createReplicaFill(
  db: DatabaseSync,
  writer: Pick<ListingWriter, 'state' | 'keepEarlier' | 'setHidden' | 'setTraits' | 'flush'>,
  limits: FillLimits,
): ReplicaFill {
  const index = createIndexFill(db);
  const insert = createListingInsert(db);
  const blocks = createFillBlocks(db);
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
    get isDone() {
      return isLast && !isFull;
    },
    enter(listings) {
      const now = writer.state();
      checksum ^= blocks.add(listings.blocks);
      for (const { values, traits } of readRows(listings.rows)) {
        insert(values);
        const [id, length, resource, , , owner] = values;
        if (traits !== undefined) writer.setTraits(id, traits);
        index.setLength(id, length);
        const isHidden = values.at(-1) === 1;
        if (isHidden || blocks.covers({ resource: String(resource), owner: String(owner) }))
          writer.setHidden(id, true);
        now.listings = id;
        now.tokens += length;
      }
      for (const { reworded, listing, ...earlier } of listings.earlierWordings) {
        now.clock = Math.max(now.clock, reworded);
        writer.keepEarlier(reworded, listing, earlier);
      }
      index.add(listings.runs);
      writer.flush(now);
      checksum ^= listings.checksum;
      if (listings.after === 0) position = listings.position;
      ({ to, isLast } = listings);
      if (isLast) index.end();
      isFull = isLast || index.isWriting || index.bytes >= limits.bytes;
    },
    write() {
      index.write(limits.rowsPerStep);
      isFull = isLast ? index.isWriting || index.bytes > 0 : index.bytes >= limits.bytes;
    },
  };
}
