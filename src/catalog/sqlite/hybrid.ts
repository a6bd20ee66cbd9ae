import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import { ALL_LISTINGS, facetOf } from '../facets.ts';
import { contentOf } from '../hybrid/content.ts';
import { createHybridIndex } from '../hybrid/hybridIndex.ts';
import type { Model } from '../meaning/index.ts';
import { createHybridSearch, type Gap, type Standing } from '../hybrid/search.ts';
import { createVectors } from '../hybrid/vectors.ts';
import { MAX_EARLIER_WORDINGS } from '../limits.ts';
import type { Filters } from '../requests.ts';
import type { HybridStore } from '../store.ts';
import { blockOf, placeOf, type Members } from './blocks.ts';
import { createHidden } from './hidden.ts';
import { readItem } from './listingRow.ts';
import { createMembers } from './members.ts';
import type { State } from './search.ts';
import type { PageOf } from './store.ts';

/** Wordings that are not known, of which the index keeps account. */
const MAX_GAPS = 1_000;
/** An index with more slots than this is built again. */
const MAX_SLOTS_PER_LISTING = 1.5;
const LEAST_SLOTS = 10_000;
/** Listings that one step enters. */
const LISTINGS_PER_STEP = 250;

interface HybridDeps {
  db: DatabaseSync;
  model: Model;
  pageOf: PageOf;
}

export function createHybridStore({ db, model, pageOf }: HybridDeps): HybridStore {
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const selectItem = db.prepare('SELECT owner, item FROM listing WHERE id = ?');
  const readMembership = createMembership(db);
  let index = createFollowingIndex(db, model);
  /** Takes the place of an index that is full of earlier wordings, once it is ready. */
  let next: typeof index | undefined;

  /** Begins again if the file is no longer what the index knows. */
  function follow(now: State): void {
    if (index.canFollow(now)) return index.follow(now);
    index = createFollowingIndex(db, model);
    next = undefined;
  }

  function renew(now: State): void {
    if (index.isReady && index.isCrowded) next ??= createFollowingIndex(db, model);
    if (next === undefined) return;
    if (!next.canFollow(now)) next = createFollowingIndex(db, model);
    next.follow(now);
    next.enter(now, LISTINGS_PER_STEP);
    if (!next.isReady) return;
    index = next;
    next = undefined;
  }

  const read = (listing: number) => {
    const row = selectItem.get(listing) as { owner: string; item: string } | undefined;
    const item = row && readItem(row.item);
    return item && { owner: row.owner, item };
  };
  const now = (): State => selectState.get() as unknown as State;

  return {
    get isReady() {
      return index.isReady;
    },
    get isBusy() {
      return !index.isReady || next !== undefined;
    },
    step: () =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        follow(state);
        index.enter(state, LISTINGS_PER_STEP);
        renew(state);
        return { indexed: index.standing.listings, listings: state.listings };
      }),
    search: (query, filters, limit, after) =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        follow(state);
        index.enter(state, Infinity);
        const { isMember, isHidden } = readMembership(filters);
        const { standing } = index;
        return pageOf(index.search({ query, limit, after, standing, isMember, isHidden, read }), limit);
      }),
  };
}

/** An index in memory of the listings in the file, up to a state of the file. */
function createFollowingIndex(db: DatabaseSync, model: Model) {
  const selectListings = db.prepare('SELECT id, item FROM listing WHERE id > ? ORDER BY id LIMIT ?');
  const selectItem = db.prepare('SELECT item FROM listing WHERE id = ?');
  const selectReworded = db.prepare(
    'SELECT reworded, listing FROM earlier_wording WHERE reworded > ? ORDER BY reworded',
  );
  const index = createHybridIndex(model, createVectors(model.dimensions));
  const standing = { listings: 0, clock: -1, knownSince: 0, gaps: [] as Gap[] };
  let isReady = false;

  function add(listing: number, text: string, since: number): void {
    const item = readItem(text);
    if (item !== undefined) index.add(listing, contentOf(item, model), since);
  }

  /** Walks that need what is not known have expired. Beyond some gaps, all older walks have. */
  function addGap(gap: Gap): void {
    standing.gaps.push(gap);
    if (standing.gaps.length <= MAX_GAPS) return;
    standing.gaps = [];
    standing.knownSince = gap.until;
  }

  function reword(listing: number, steps: readonly number[]): void {
    const [first, last] = [steps[0]!, steps.at(-1)!];
    const isNew = listing > standing.listings;
    if (isNew || first !== last) addGap({ listing, from: isNew ? 0 : first, until: last });
    if (isNew) return;
    index.retire(listing, first);
    const row = selectItem.get(listing) as { item: string } | undefined;
    if (row !== undefined) add(listing, row.item, last);
  }

  return {
    search: createHybridSearch(index),
    get standing(): Standing {
      return standing;
    },
    get isReady() {
      return isReady;
    },
    /** True if it holds many wordings that nobody says any more. */
    get isCrowded() {
      const { listings } = index.totals();
      return index.segments.slots > MAX_SLOTS_PER_LISTING * listings + LEAST_SLOTS;
    },
    canFollow: ({ listings, clock }: State): boolean =>
      standing.clock === -1 ||
      (listings >= standing.listings &&
        clock >= standing.clock &&
        clock - standing.clock <= MAX_EARLIER_WORDINGS),
    /** Enters what was reworded. */
    follow({ clock }: State): void {
      if (standing.clock === -1) standing.clock = clock;
      if (clock === standing.clock) return;
      const rows = selectReworded.all(standing.clock) as unknown as { reworded: number; listing: number }[];
      for (const [listing, steps] of Map.groupBy(rows, (row) => row.listing))
        reword(
          listing,
          steps.map(({ reworded }) => reworded),
        );
      standing.clock = clock;
      if (!isReady) standing.knownSince = clock;
      standing.gaps = standing.gaps.filter(({ until }) => until > clock - MAX_EARLIER_WORDINGS);
    },
    /** Enters at most `limit` of the listings that are missing. */
    enter({ listings, clock }: State, limit: number): void {
      if (standing.listings === listings && isReady) return;
      const rows = selectListings.all(standing.listings, Math.min(limit, 1e9)) as unknown as {
        id: number;
        item: string;
      }[];
      for (const { id, item } of rows) add(id, item, 0);
      standing.listings = rows.length < limit ? listings : rows.at(-1)!.id;
      if (!isReady) standing.knownSince = clock;
      isReady ||= standing.listings === listings;
    },
  };
}

/** Returns a function that says which listings pass filters, and which are hidden. Reads each block once. */
function createMembership(db: DatabaseSync) {
  const membersOf = createMembers(db);
  const hidden = createHidden(db);

  return (filters: Filters): { isMember(listing: number): boolean; isHidden(listing: number): boolean } => {
    const facet = facetOf(filters);
    const members = facet === ALL_LISTINGS ? undefined : membersOf(facet);
    const isMember =
      facet === ALL_LISTINGS
        ? () => true
        : members === undefined
          ? () => false
          : inBlocks((block) => members.in(block));
    return { isMember, isHidden: inBlocks((block) => hidden.in(block)) };
  };
}

function inBlocks(read: (block: number) => Members | undefined): (listing: number) => boolean {
  const blocks = new Map<number, Members | undefined>();
  return (listing) => {
    const block = blockOf(listing);
    if (!blocks.has(block)) blocks.set(block, read(block));
    return blocks.get(block)?.has(placeOf(listing)) === true;
  };
}
