import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
import { IMPORTED } from '../facets.ts';
import type { HybridSearch } from '../hybrid/search.ts';
import type { Model } from '../meaning/index.ts';
import type { Filters } from '../requests.ts';
import type { HybridStore } from '../store.ts';
import { createFollowingIndex } from './followingIndex.ts';
import { createHidden } from './hidden.ts';
import { readItem } from './listingRow.ts';
import { createMatching } from './matching.ts';
import { createMembers, inBlocks } from './members.ts';
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
  const { now, isWhole, read } = createReads(db);
  const readMembership = createMembership(db);
  let index = createFollowingIndex(db, model);
  /** Takes the place of an index that is full of earlier wordings, once it is ready. */
  let next: typeof index | undefined;
  let isBehind = true;

  /** Begins again if the file is no longer what the index knows. */
  function follow(now: State): void {
    if (!index.canFollow(now)) {
      index = createFollowingIndex(db, model);
      next = undefined;
    }
    index.follow(now);
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

  const missing = ({ listings }: State): number => listings - index.standing.listings;

  return {
    name: `hybrid ${model.name}`,
    get isBusy() {
      return isBehind || next !== undefined;
    },
    step: () =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        isBehind = false;
        if (!isWhole()) return { indexed: index.standing.listings, listings: state.listings };
        follow(state);
        index.enter(state, LISTINGS_PER_STEP);
        isBehind = missing(state) > 0;
        renew(state);
        return { indexed: index.standing.listings, listings: state.listings };
      }),
    search: (query, filters, limit, after) =>
      transaction(db, 'BEGIN', () => {
        const state = now();
        if (!isWhole()) return 'not ready';
        follow(state);
        if (!index.isReady || missing(state) > LISTINGS_PER_SEARCH) return 'not ready';
        index.enter(state, LISTINGS_PER_SEARCH);
        const { standing } = index;
        return pageOf(
          index.search({ query, limit, after, standing, ...readMembership(filters), read }),
          limit,
        );
      }),
  };
}

function createReads(db: DatabaseSync) {
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const selectReplica = db.prepare('SELECT state FROM replica');
  const selectItem = db.prepare('SELECT owner, item, payers FROM listing WHERE id = ?');
  return {
    now: (): State => selectState.get() as unknown as State,
    /** False while the file is between two states of the shared log: its listings do not belong together then. */
    isWhole(): boolean {
      const replica = selectReplica.get() as { state: string } | undefined;
      return replica === undefined || replica.state === 'whole';
    },
    read(listing: number) {
      const row = selectItem.get(listing) as
        | { owner: string; item: string; payers: string | null }
        | undefined;
      const item = row && readItem(row.item);
      return item && { owner: row.owner, item, payers: row.payers };
    },
  };
}

type Membership = Pick<HybridSearch, 'isMember' | 'isHidden' | 'isImported'>;

/** Returns a function that says which listings pass filters, are hidden, or were imported. Reads each block once. */
function createMembership(db: DatabaseSync) {
  const matching = createMatching(db);
  const membersOf = createMembers(db);
  const hidden = createHidden(db);

  return (filters: Filters): Membership => {
    const members = matching(filters);
    const imported = membersOf(IMPORTED);
    return {
      isMember: inBlocks((block) => members?.in(block)),
      isHidden: inBlocks((block) => hidden.in(block)),
      isImported: imported === undefined ? () => false : inBlocks((block) => imported.in(block)),
    };
  };
}
