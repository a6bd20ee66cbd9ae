import type { DatabaseSync } from 'node:sqlite';
import { ALL_LISTINGS, facetOf, IMPORTED } from '../facets.ts';
import type { Filters } from '../requests.ts';
import { blockOf, BLOCK_SIZE, countBoth, countIn, readMembers } from './blocks.ts';
import { createConditions, type Condition } from './conditions.ts';
import { createMembers, type FacetMembers } from './members.ts';

/** A part of the listings: those that were paid for here, or those that were imported. */
export type Part = 'paid' | 'imported';

/**
 * Returns a function that says which listings match filters, hidden ones among them, or undefined if none can. Answers
 * about blocks are read when they are asked for.
 */
export function createMatching(
  db: DatabaseSync,
): (filters: Filters, part?: Part) => FacetMembers | undefined {
  const selectState = db.prepare('SELECT listings FROM state');
  const membersOf = createMembers(db);
  const conditionsOf = createConditions(db);

  return (filters, part) => {
    const { listings } = selectState.get() as { listings: number };
    const facet = facetOf(filters);
    const imported = part && membersOf(IMPORTED);
    if (part === 'imported' && imported === undefined) return undefined;
    const conditions = conditionsOf(filters);
    if (imported !== undefined)
      conditions.push(part === 'imported' ? imported.bitmapIn : paidIn(imported.bitmapIn, listings));
    if (facet === ALL_LISTINGS)
      return conditions.length === 0 ? everyListing(listings) : meeting(conditions, blockOf(listings));
    const members = membersOf(facet);
    if (members === undefined || conditions.length === 0) return members;
    return meeting([members.bitmapIn, ...conditions], blockOf(listings));
  };
}

/** Returns all listings as members of a facet. Their ids count from 1 without gaps. */
function everyListing(last: number): FacetMembers {
  const firstIn = (block: number): number => Math.max(1, block * BLOCK_SIZE);
  const afterLastIn = (block: number): number => Math.min(last + 1, (block + 1) * BLOCK_SIZE);
  return {
    listings: last,
    *counts() {
      for (let block = 0; block <= blockOf(last); block++)
        yield { block, listings: Math.max(0, afterLastIn(block) - firstIn(block)) };
    },
    in(block) {
      const from = firstIn(block) - block * BLOCK_SIZE;
      const end = afterLastIn(block) - block * BLOCK_SIZE;
      return {
        has: (place) => place >= from && place < end,
        slice: (skip, limit) => {
          const length = Math.max(0, Math.min(limit, end - from - skip));
          return Array.from({ length }, (_, at) => from + skip + at);
        },
      };
    },
    bitmapIn: (block) => bitmapOfEvery(block, last),
    countHidden: ({ listings }) => listings,
  };
}

/** Returns all listings but the imported ones. */
function paidIn(imported: Condition, last: number): Condition {
  return (block) => {
    const bitmap = bitmapOfEvery(block, last);
    const others = imported(block);
    if (others !== undefined) for (let at = 0; at < bitmap.length; at++) bitmap[at]! &= ~others[at]!;
    return bitmap;
  };
}

function bitmapOfEvery(block: number, last: number): Uint8Array {
  const bitmap = new Uint8Array(BLOCK_SIZE / 8);
  const end = Math.min(BLOCK_SIZE, last + 1 - block * BLOCK_SIZE);
  bitmap.fill(0xff, 0, end >> 3);
  if ((end & 7) !== 0) bitmap[end >> 3] = (1 << (end & 7)) - 1;
  // Ids count from 1.
  if (block === 0) bitmap[0]! &= ~1;
  return bitmap;
}

/** Returns the listings that meet all conditions. Remembers what it has read, a bitmap for each block. */
function meeting([first, ...others]: readonly Condition[], lastBlock: number): FacetMembers {
  const bitmaps = new Map<number, Uint8Array | undefined>();

  function bitmapIn(block: number): Uint8Array | undefined {
    if (!bitmaps.has(block)) bitmaps.set(block, read(block));
    return bitmaps.get(block);
  }

  function read(block: number): Uint8Array | undefined {
    const bitmap = first?.(block);
    for (const condition of bitmap === undefined ? [] : others) {
      const other = condition(block);
      if (other === undefined) return undefined;
      for (let at = 0; at < bitmap!.length; at++) bitmap![at]! &= other[at]!;
    }
    return bitmap;
  }

  function* counts(): Generator<{ block: number; listings: number }> {
    for (let block = 0; block <= lastBlock; block++) {
      const bitmap = bitmapIn(block);
      const listings = bitmap === undefined ? 0 : countIn(bitmap);
      if (listings > 0) yield { block, listings };
    }
  }

  return {
    get listings() {
      return [...counts()].reduce((sum, { listings }) => sum + listings, 0);
    },
    counts,
    in(block) {
      const bitmap = bitmapIn(block);
      return bitmap && readMembers(bitmap);
    },
    bitmapIn: (block) => bitmapIn(block)?.slice(),
    countHidden({ block, data }) {
      const bitmap = bitmapIn(block);
      return bitmap === undefined ? 0 : countBoth(bitmap, data);
    },
  };
}
