import type { DatabaseSync } from 'node:sqlite';
import type { Filters } from '../requests.ts';
import { BLOCK_SIZE, type Members } from './blocks.ts';
import { createHidden, type Hidden } from './hidden.ts';
import { createMatching, type Part } from './matching.ts';
import type { FacetMembers } from './members.ts';

export interface Listed {
  /** Ids in the order in which the listings were made. */
  readonly ids: readonly number[];
  /** Number of listings that match in all. */
  readonly total: number;
}

/**
 * Returns pages of the listings that match filters: first those that were paid for here, then imported ones. Totals of
 * facets are stored, and a page is found by the number of matches per block: the listings before it are not read. Of
 * blocks with hidden listings, these are counted and left out.
 */
export function createList(db: DatabaseSync) {
  const matchesOf = createMatches(db);

  function listOf(matches: Matches | undefined, offset: number, limit: number): Listed {
    if (matches === undefined) return { ids: [], total: 0 };
    return { ids: offset < matches.total ? pageOf(matches, offset, limit) : [], total: matches.total };
  }

  return (filters: Filters, offset: number, limit: number): Listed => {
    const paid = listOf(matchesOf(filters, 'paid'), offset, limit);
    const left = limit - paid.ids.length;
    const imported = listOf(matchesOf(filters, 'imported'), Math.max(0, offset - paid.total), left);
    return { ids: [...paid.ids, ...imported.ids], total: paid.total + imported.total };
  };
}

/** What matches filters, and which of it is hidden. */
export interface Matches {
  readonly members: FacetMembers;
  readonly hidden: Hidden;
  /** The number of hidden ones among the members of a block. */
  readonly hiddenByBlock: ReadonlyMap<number, number>;
  /** The number of those that are not hidden. */
  readonly total: number;
}

/** Returns a function that says what matches filters; undefined if nothing can. */
export function createMatches(db: DatabaseSync): (filters: Filters, part?: Part) => Matches | undefined {
  const matching = createMatching(db);
  const hidden = createHidden(db);

  return (filters, part) => {
    const members = matching(filters, part);
    if (members === undefined) return undefined;
    const hiddenByBlock = new Map<number, number>();
    let total = members.listings;
    for (const row of hidden.blocks()) {
      const count = members.countHidden(row);
      hiddenByBlock.set(row.block, count);
      total -= count;
    }
    return { members, hidden, hiddenByBlock, total };
  };
}

function pageOf({ members, hidden, hiddenByBlock }: Matches, offset: number, limit: number): number[] {
  const ids: number[] = [];
  let skip = offset;
  for (const { block, listings } of members.counts()) {
    const hiddenHere = hiddenByBlock.get(block) ?? 0;
    if (skip >= listings - hiddenHere) {
      skip -= listings - hiddenHere;
      continue;
    }
    const places = shownIn(members.in(block), hiddenHere > 0 ? hidden.in(block) : undefined);
    ids.push(...places(skip, limit - ids.length).map((place) => block * BLOCK_SIZE + place));
    if (ids.length >= limit) break;
    skip = 0;
  }
  return ids;
}

/** Returns a function that gives a part of a block's members, without hidden ones. */
export function shownIn(members: Members | undefined, hidden: Members | undefined): Members['slice'] {
  if (members === undefined) return () => [];
  if (hidden === undefined) return members.slice;
  const shown = members.slice(0, BLOCK_SIZE).filter((place) => !hidden.has(place));
  return (skip, limit) => shown.slice(skip, skip + limit);
}
