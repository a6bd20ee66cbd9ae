import type { DatabaseSync } from 'node:sqlite';
import { coveringKeys } from '../keeper/target.ts';
import type { LogBlock } from '../store.ts';
import { createBlocked } from './blocked.ts';
import { hashOfBlock } from './logListing.ts';

/** The blocks of an index that is being filled. Memory holds them, too: they are asked for each listing. */
export interface FillBlocks {
  /** Returns the change of the checksum. */
  add(blocks: readonly LogBlock[]): bigint;
  /** True if a block covers the listing. */
  covers(listing: { resource: string; owner: string }): boolean;
}

export function createFillBlocks(db: DatabaseSync): FillBlocks {
  const blocked = createBlocked(db);
  const keys = new Set<string>();

  return {
    add(blocks) {
      let change = 0n;
      for (const block of blocks) {
        blocked.add(block, block.sinceMs);
        keys.add(block.key);
        change ^= hashOfBlock(block.key);
      }
      return change;
    },
    covers: (listing) => keys.size > 0 && coveringKeys(listing).some((key) => keys.has(key)),
  };
}
