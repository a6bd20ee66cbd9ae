import type { DatabaseSync } from 'node:sqlite';
import { BLOCK_SIZE, blockOfRow, readMembers, rowId } from './blocks.ts';

export interface Listed {
  /** In the order in which they were made. */
  readonly listings: readonly number[];
  /** How many match in all. */
  readonly total: number;
}

/**
 * Pages of the listings that match a combination of filters. Totals are kept, and a page is found by the number of
 * matches per block, so that neither goes through the listings before it.
 */
export function createList(db: DatabaseSync) {
  const selectState = db.prepare('SELECT listings FROM state');
  const selectFacet = db.prepare('SELECT id, listings FROM facet WHERE filters = ?');
  const selectCounts = db.prepare('SELECT id, listings FROM member WHERE id BETWEEN ? AND ? ORDER BY id');
  const selectMember = db.prepare('SELECT data FROM member WHERE id = ?');

  return (facet: string, offset: number, limit: number): Listed => {
    if (facet === 'all') return pageOfAll(offset, limit);
    const entry = selectFacet.get(facet) as { id: number; listings: number } | undefined;
    if (entry === undefined) return { listings: [], total: 0 };
    return {
      listings: offset < entry.listings ? pageOf(entry.id, offset, limit) : [],
      total: entry.listings,
    };
  };

  /** Listings are never deleted: their ids count from 1 without gaps. */
  function pageOfAll(offset: number, limit: number): Listed {
    const { listings: total } = selectState.get() as { listings: number };
    const length = Math.max(0, Math.min(limit, total - offset));
    return { listings: Array.from({ length }, (_, at) => offset + at + 1), total };
  }

  function pageOf(facet: number, offset: number, limit: number): number[] {
    const listings: number[] = [];
    let skip = offset;
    for (const row of selectCounts.iterate(rowId(facet, 0), rowId(facet + 1, 0) - 1)) {
      const { id, listings: count } = row as { id: number; listings: number };
      if (skip >= count) {
        skip -= count;
        continue;
      }
      const { data } = selectMember.get(id) as { data: Uint8Array };
      const places = readMembers(data).slice(skip, limit - listings.length);
      listings.push(...places.map((place) => blockOfRow(id) * BLOCK_SIZE + place));
      if (listings.length >= limit) break;
      skip = 0;
    }
    return listings;
  }
}
