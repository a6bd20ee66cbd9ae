import type { DatabaseSync } from 'node:sqlite';
import { ALL_LISTINGS } from '../facets.ts';
import { BLOCK_SIZE } from './blocks.ts';
import { createMembers, type FacetMembers } from './members.ts';

export interface Listed {
  /** Ids in the order in which the listings were made. */
  readonly ids: readonly number[];
  /** Number of listings that match in all. */
  readonly total: number;
}

/**
 * Returns pages of the listings under a facet. Totals are stored, and a page is found by the number of matches per
 * block: the listings before it are not read.
 */
export function createList(db: DatabaseSync) {
  const selectState = db.prepare('SELECT listings FROM state');
  const membersOf = createMembers(db);

  return (facet: string, offset: number, limit: number): Listed => {
    if (facet === ALL_LISTINGS) return pageOfAll(offset, limit);
    const members = membersOf(facet);
    if (members === undefined) return { ids: [], total: 0 };
    const { listings: total } = members;
    return { ids: offset < total ? pageOf(members, offset, limit) : [], total };
  };

  /** Returns a page of all listings. Listings are never deleted, so their ids count from 1 without gaps. */
  function pageOfAll(offset: number, limit: number): Listed {
    const { listings: total } = selectState.get() as { listings: number };
    const length = Math.max(0, Math.min(limit, total - offset));
    return { ids: Array.from({ length }, (_, at) => offset + at + 1), total };
  }
}

function pageOf(members: FacetMembers, offset: number, limit: number): number[] {
  const ids: number[] = [];
  let skip = offset;
  for (const { block, listings } of members.counts()) {
    if (skip >= listings) {
      skip -= listings;
      continue;
    }
    const places = members.in(block)?.slice(skip, limit - ids.length) ?? [];
    ids.push(...places.map((place) => block * BLOCK_SIZE + place));
    if (ids.length >= limit) break;
    skip = 0;
  }
  return ids;
}
