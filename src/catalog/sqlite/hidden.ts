import type { DatabaseSync } from 'node:sqlite';
import { blockOf, BLOCK_SIZE, placeOf, readMembers, type Members } from './blocks.ts';
import type { HiddenRow } from './members.ts';

/** Reads which listings are not shown, whatever the reason. */
export interface Hidden {
  /** Yields the blocks that have any, in order. */
  blocks(): Iterable<HiddenRow>;
  /** Returns undefined if the block has none. */
  in(block: number): Members | undefined;
  has(listing: number): boolean;
  /** Yields the listings after an id, in order. */
  after(id: number): Iterable<number>;
}

export function createHidden(db: DatabaseSync): Hidden {
  const selectAll = db.prepare('SELECT block, listings, data FROM hidden WHERE block >= ? ORDER BY block');
  const selectOne = db.prepare('SELECT data FROM hidden WHERE block = ?');
  const rowsFrom = (block: number): HiddenRow[] => selectAll.all(block) as unknown as HiddenRow[];

  function inBlock(block: number): Members | undefined {
    const row = selectOne.get(block) as Pick<HiddenRow, 'data'> | undefined;
    return row && readMembers(row.data);
  }

  return {
    blocks: () => rowsFrom(0),
    in: inBlock,
    has: (listing) => inBlock(blockOf(listing))?.has(placeOf(listing)) === true,
    *after(id) {
      for (const { block, data } of rowsFrom(blockOf(id)))
        for (const place of readMembers(data).slice(0, BLOCK_SIZE)) {
          const listing = block * BLOCK_SIZE + place;
          if (listing > id) yield listing;
        }
    },
  };
}
