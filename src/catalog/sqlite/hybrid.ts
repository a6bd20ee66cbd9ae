import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import type { Model } from '../meaning/index.ts';
import type { Filters } from '../requests.ts';
import type { HybridStore } from '../store.ts';
import { blockOf, placeOf, type Members } from './blocks.ts';
import { createFollowingIndex } from './followingIndex.ts';
import { createHidden } from './hidden.ts';
import { readItem } from './listingRow.ts';
import { createMatching } from './matching.ts';
import type { State } from './search.ts';
import type { PageOf } from './store.ts';

/** Listings that one step enters. */
const LISTINGS_PER_STEP = 250;
/** Listings that a search enters itself. If more are missing, it must not wait for them. */
const LISTINGS_PER_SEARCH = 500;

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
  let isBehind = true;

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
  const missing = ({ listings }: State): number => listings - index.standing.listings;
  const now = (): State => selectState.get() as unknown as State;

  return {
    isReady: () =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        follow(state);
        return index.isReady && missing(state) <= LISTINGS_PER_SEARCH;
      }),
    get isBusy() {
      return isBehind || next !== undefined;
    },
    step: () =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        follow(state);
        index.enter(state, LISTINGS_PER_STEP);
        isBehind = missing(state) > 0;
        renew(state);
        return { indexed: index.standing.listings, listings: state.listings };
      }),
    search: (query, filters, limit, after) =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        follow(state);
        index.enter(state, LISTINGS_PER_SEARCH);
        if (missing(state) > 0) throw new Error('the index of the hybrid ranking was begun again just now');
        const { isMember, isHidden } = readMembership(filters);
        const { standing } = index;
        return pageOf(index.search({ query, limit, after, standing, isMember, isHidden, read }), limit);
      }),
  };
}

/** Returns a function that says which listings pass filters, and which are hidden. Reads each block once. */
function createMembership(db: DatabaseSync) {
  const matching = createMatching(db);
  const hidden = createHidden(db);

  return (filters: Filters): { isMember(listing: number): boolean; isHidden(listing: number): boolean } => {
    const members = matching(filters);
    return {
      isMember: inBlocks((block) => members?.in(block)),
      isHidden: inBlocks((block) => hidden.in(block)),
    };
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
