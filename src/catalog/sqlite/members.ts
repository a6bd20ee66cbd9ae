import type { DatabaseSync } from 'node:sqlite';
import {
  bitmapOf,
  blockOf,
  blockOfRow,
  countBoth,
  placeOf,
  readMembers,
  rowId,
  type Members,
} from './blocks.ts';

/** The hidden listings of a block. */
export interface HiddenRow {
  readonly block: number;
  readonly listings: number;
  readonly data: Uint8Array;
}

/** The listings under one facet. */
export interface FacetMembers {
  /** Number of listings in all blocks. */
  readonly listings: number;
  /** Yields the number of listings in each block that has any, in order. */
  counts(): Iterable<{ readonly block: number; readonly listings: number }>;
  /** Returns undefined if the block has none. */
  in(block: number): Members | undefined;
  /** Returns the same as a bitmap that the caller may change. */
  bitmapIn(block: number): Uint8Array | undefined;
  /** Returns how many of a block are among its hidden listings. */
  countHidden(hidden: HiddenRow): number;
}

/** Returns undefined for a facet without listings. */
export function createMembers(db: DatabaseSync): (facet: string) => FacetMembers | undefined {
  const selectFacet = db.prepare('SELECT id, listings FROM facet WHERE facet = ?');
  const selectCounts = db.prepare('SELECT id, listings FROM member WHERE id BETWEEN ? AND ? ORDER BY id');
  const selectMember = db.prepare('SELECT data FROM member WHERE id = ?');

  return (facet) => {
    const entry = selectFacet.get(facet) as { id: number; listings: number } | undefined;
    if (entry === undefined) return undefined;
    const dataOf = (block: number): Uint8Array | undefined =>
      (selectMember.get(rowId(entry.id, block)) as { data: Uint8Array } | undefined)?.data;
    return {
      listings: entry.listings,
      *counts() {
        for (const row of selectCounts.iterate(rowId(entry.id, 0), rowId(entry.id + 1, 0) - 1)) {
          const { id, listings } = row as { id: number; listings: number };
          yield { block: blockOfRow(id), listings };
        }
      },
      in(block) {
        const data = dataOf(block);
        return data && readMembers(data);
      },
      bitmapIn(block) {
        const data = dataOf(block);
        return data && bitmapOf(data);
      },
      countHidden(hidden) {
        const data = dataOf(hidden.block);
        return data === undefined ? 0 : countBoth(data, hidden.data);
      },
    };
  };
}

/** Returns a function that says whether a listing is a member. Reads each block once. */
export function inBlocks(read: (block: number) => Members | undefined): (listing: number) => boolean {
  const blocks = new Map<number, Members | undefined>();
  return (listing) => {
    const block = blockOf(listing);
    if (!blocks.has(block)) blocks.set(block, read(block));
    return blocks.get(block)?.has(placeOf(listing)) === true;
  };
}
