import type { DatabaseSync } from 'node:sqlite';
import { contentOf } from '../hybrid/content.ts';
import { createHybridIndex } from '../hybrid/hybridIndex.ts';
import { createHybridSearch, type Gap, type Standing } from '../hybrid/search.ts';
import { createVectors } from '../hybrid/vectors.ts';
import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import type { Model } from '../meaning/index.ts';
import { readItem } from './listingRow.ts';
import type { State } from './search.ts';

/** Wordings that are not known, of which the index keeps account. */
const MAX_GAPS = 1_000;
/** An index with more slots than this is crowded. */
const MAX_SLOTS_PER_LISTING = 1.5;
const LEAST_SLOTS = 10_000;
/** The clock of an index that has not begun. */
const NOT_BEGUN = -1;

/** An index in memory of the listings in the file, up to a state of the file. */
export interface FollowingIndex {
  readonly search: ReturnType<typeof createHybridSearch>;
  readonly standing: Standing;
  /** True once it has had all listings that there were. */
  readonly isReady: boolean;
  /** True if it holds many wordings that no listing has any more. */
  readonly isCrowded: boolean;
  /** False if the file has forgotten what was reworded since, or is another one. */
  canFollow(now: State): boolean;
  /** Enters what was reworded. Call it before `enter`, in the same transaction. */
  follow(now: State): void;
  /** Enters at most `limit` of the listings that are missing. */
  enter(now: State, limit: number): void;
}

export function createFollowingIndex(db: DatabaseSync, model: Model): FollowingIndex {
  const read = createReads(db);
  const index = createHybridIndex(model, createVectors(model.dimensions));
  const standing = { listings: 0, clock: NOT_BEGUN, knownSince: 0, gaps: [] as Gap[] };
  let isReady = false;
  let knownTokens = 0;

  function add(listing: number, text: string, since: number): void {
    const item = readItem(text);
    if (item !== undefined) index.add(listing, contentOf(item, model), since);
  }

  function reword(listing: number, [first, last]: readonly [number, number]): void {
    const isNew = listing > standing.listings;
    if (isNew || first !== last) addGap(standing, { listing, from: isNew ? 0 : first, until: last });
    if (isNew) return;
    index.retire(listing, first);
    add(listing, read.item(listing), last);
  }

  return {
    search: createHybridSearch(index),
    standing,
    get isReady() {
      return isReady;
    },
    get isCrowded() {
      return index.segments.slots > MAX_SLOTS_PER_LISTING * index.totals().listings + LEAST_SLOTS;
    },
    canFollow: ({ listings, clock }) =>
      standing.clock === NOT_BEGUN ||
      (listings >= standing.listings &&
        clock >= standing.clock &&
        clock - standing.clock <= MAX_EARLIER_WORDINGS),
    follow({ clock, tokens }) {
      if (standing.clock !== NOT_BEGUN && clock !== standing.clock)
        for (const [listing, steps] of read.rewordedSince(standing.clock)) reword(listing, steps);
      // A removed listing moves no clock, but takes its words along.
      if (tokens !== knownTokens) for (const listing of read.removed()) index.retire(listing, clock);
      knownTokens = tokens;
      standing.clock = clock;
      standing.gaps = standing.gaps.filter(({ until }) => until > clock - MAX_EARLIER_WORDINGS);
      if (!isReady) standing.knownSince = clock;
    },
    enter({ listings }, limit) {
      if (isReady && standing.listings === listings) return;
      const rows = read.listingsAfter(standing.listings, limit);
      for (const { id, item } of rows) add(id, item, 0);
      standing.listings = rows.length < limit ? listings : rows.at(-1)!.id;
      isReady ||= standing.listings === listings;
    },
  };
}

/** Walks that need what is not known have expired. Beyond some gaps, all older walks have. */
function addGap(standing: { knownSince: number; gaps: Gap[] }, gap: Gap): void {
  standing.gaps.push(gap);
  if (standing.gaps.length <= MAX_GAPS) return;
  standing.knownSince = Math.max(...standing.gaps.map(({ until }) => until));
  standing.gaps = [];
}

function createReads(db: DatabaseSync) {
  const selectListings = db.prepare('SELECT id, item FROM listing WHERE id > ? ORDER BY id LIMIT ?');
  const selectItem = db.prepare('SELECT item FROM listing WHERE id = ?');
  // Removed listings alone have no URL, and the index of names finds them: sellers may have hidden very many others.
  const selectRemoved = db.prepare("SELECT id FROM listing WHERE resource = ''");
  const selectReworded = db.prepare(
    `SELECT listing, min(reworded) AS first, max(reworded) AS last FROM earlier_wording WHERE reworded > ?
     GROUP BY listing ORDER BY first`,
  );
  return {
    listingsAfter: (id: number, limit: number) =>
      selectListings.all(id, limit) as unknown as {
        id: number;
        item: string;
      }[],
    item: (listing: number): string => (selectItem.get(listing) as { item: string } | undefined)?.item ?? '',
    removed: (): number[] => selectRemoved.all().map(({ id }) => id as number),
    /** Yields each listing with the first and the last time of the clock at which it was reworded. */
    *rewordedSince(clock: number): Generator<[number, readonly [number, number]]> {
      for (const row of selectReworded.all(clock)) {
        const { listing, first, last } = row as { listing: number; first: number; last: number };
        yield [listing, [first, last]];
      }
    },
  };
}
