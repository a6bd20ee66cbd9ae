import type { DatabaseSync } from 'node:sqlite';
import { IMPORTED } from '../facets.ts';
import { SORT_LIMITS, type SortLimits } from '../limits.ts';
import type { Filters, Sort } from '../requests.ts';
import { createBest, type Hit } from '../search/best.ts';
import { BLOCK_SIZE } from './blocks.ts';
import { createMatches, shownIn, type Matches } from './list.ts';
import { createMembers, inBlocks } from './members.ts';
import { doublesOf } from './traitRows.ts';

/** Where a page of a sorted list ends. */
export interface SortedPlace {
  readonly listing: number;
  /** When it was last paid for, in unix milliseconds, less AFTER_PAID_MS if it was imported; 0 in other orders. */
  readonly paidAtMs: number;
}

export interface Sorted {
  readonly ids: readonly number[];
  /** Number of listings that match in all. */
  readonly total: number;
  /** Undefined at the end. */
  readonly next: SortedPlace | undefined;
}

/**
 * Returns pages of the listings that match filters, in an order, from after a place on; undefined if the listing there is
 * gone.
 */
export function createSorted(db: DatabaseSync, limits: SortLimits = SORT_LIMITS) {
  const matchesOf = createMatches(db);
  const pageOf = { lastUpdated: createNewestFirst(db), resource: createByResource(db, limits) };

  return (
    filters: Filters,
    sort: Sort,
    limit: number,
    after: SortedPlace | undefined,
  ): Sorted | undefined => {
    const matches = matchesOf(filters);
    if (matches === undefined) return { ids: [], total: 0, next: undefined };
    const page = pageOf[sort](matches, limit, after);
    return page && { ...page, total: matches.total };
  };
}

type Page = Omit<Sorted, 'total'>;

/** More than any time, so that what was imported comes after all that was paid for here. */
const AFTER_PAID_MS = 1e16;

/** Of listings that were paid for at the same time, the newest comes first. */
function createNewestFirst(db: DatabaseSync) {
  const membersOf = createMembers(db);
  const selectTimes = db.prepare('SELECT data FROM paid_at WHERE block = ?');

  return (matches: Matches, limit: number, after: SortedPlace | undefined): Page => {
    const place: Hit | undefined = after && { listing: -after.listing, score: after.paidAtMs };
    const best = createBest(limit + 1, place);
    const latest = after?.paidAtMs ?? Infinity;
    const imported = membersOf(IMPORTED);
    // Most catalogs have the latest at their end: from there on, few others get in. So ids count backwards.
    for (const { block } of [...matches.members.counts()].reverse()) {
      const row = selectTimes.get(block) as { data: Uint8Array } | undefined;
      const times = doublesOf(row?.data, BLOCK_SIZE);
      const members = matches.members.in(block);
      const hidden = matches.hidden.in(block);
      const notPaid = imported?.in(block);
      for (let at = BLOCK_SIZE - 1; at >= 0; at--) {
        // The times say of most that they are not on the page.
        const score = notPaid?.has(at) === true ? times[at]! - AFTER_PAID_MS : times[at]!;
        if (score <= best.threshold || score > latest) continue;
        if (members?.has(at) === true && hidden?.has(at) !== true)
          best.offer({ listing: -(block * BLOCK_SIZE + at), score });
      }
    }
    const hits = best.hits().map(({ listing, score }) => ({ listing: -listing, paidAtMs: score }));
    const page = hits.slice(0, limit);
    return { ids: page.map(({ listing }) => listing), next: hits.length > limit ? page.at(-1) : undefined };
  };
}

const placesIn = ({ members, hidden, hiddenByBlock }: Matches, block: number): number[] =>
  shownIn(members.in(block), (hiddenByBlock.get(block) ?? 0) > 0 ? hidden.in(block) : undefined)(
    0,
    BLOCK_SIZE,
  );

/**
 * Reads few matches all, and sorts them. For many, goes through the names of all listings, a limited number for a page:
 * it may then be short.
 */
function createByResource(db: DatabaseSync, { scannedNames, sortedAtOnce }: SortLimits) {
  const selectNames = db.prepare('SELECT resource, type, tool_name AS toolName FROM listing WHERE id = ?');
  const selectNext = db.prepare(
    `SELECT id FROM listing WHERE (resource, type, tool_name) > (?, ?, ?)
     ORDER BY resource, type, tool_name LIMIT ?`,
  );
  // The signs keep SQLite from going through the names of all listings.
  const selectAmong = db.prepare(
    `SELECT id FROM (SELECT value AS chosen FROM json_each(?)) CROSS JOIN listing ON id = chosen
     WHERE (+resource, +type, +tool_name) > (?, ?, ?) ORDER BY +resource, +type, +tool_name LIMIT ?`,
  );

  /** Returns undefined if the listing was removed. */
  function nameOf(listing: number): readonly string[] | undefined {
    const row = selectNames.get(listing) as { resource: string; type: string; toolName: string } | undefined;
    return row === undefined || row.resource === '' ? undefined : [row.resource, row.type, row.toolName];
  }

  function among(matches: Matches, limit: number, from: readonly string[]): Page {
    const all = [...matches.members.counts()].flatMap(({ block }) =>
      placesIn(matches, block).map((place) => block * BLOCK_SIZE + place),
    );
    const rows = selectAmong.all(JSON.stringify(all), ...from, limit + 1) as { id: number }[];
    const ids = rows.slice(0, limit).map(({ id }) => id);
    return { ids, next: rows.length > limit ? placeAt(ids.at(-1)!) : undefined };
  }

  function through({ members, hidden }: Matches, limit: number, from: readonly string[]): Page {
    const isMember = inBlocks((block) => members.in(block));
    const isHidden = inBlocks((block) => hidden.in(block));
    const ids: number[] = [];
    let scanned = 0;
    let last = 0;
    for (const row of selectNext.iterate(...from, scannedNames)) {
      if (ids.length === limit) return { ids, next: placeAt(last) };
      last = (row as { id: number }).id;
      scanned += 1;
      if (isMember(last) && !isHidden(last)) ids.push(last);
    }
    return { ids, next: scanned === scannedNames ? placeAt(last) : undefined };
  }

  return (matches: Matches, limit: number, after: SortedPlace | undefined): Page | undefined => {
    const from = after === undefined ? BEFORE_ALL : nameOf(after.listing);
    if (from === undefined) return undefined;
    return matches.total <= sortedAtOnce ? among(matches, limit, from) : through(matches, limit, from);
  };
}

const placeAt = (listing: number): SortedPlace => ({ listing, paidAtMs: 0 });

/** Comes after the names of removed listings, which are not shown, and before all others. */
const BEFORE_ALL = ['', '~', ''];
