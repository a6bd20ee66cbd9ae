import type { DatabaseSync } from 'node:sqlite';
import {
  FILL_LIMITS,
  KEEPER_LIMITS,
  PART_LIMIT_BYTES,
  type FacetLimits,
  type FillLimits,
  type KeeperLimits,
  type SortLimits,
} from '../limits.ts';
import type { Model } from '../meaning/index.ts';
import type { Items, SearchPage, Store } from '../store.ts';
import { checkWritable, transaction } from '../../store/sqliteFile.ts';
import { checkpoint } from './database.ts';
import { createFacetCounts } from './facetCounts.ts';
import { createHidden } from './hidden.ts';
import { createHybridStore } from './hybrid.ts';
import { shownItem } from './listingRow.ts';
import { createKeeperStore } from './keeper.ts';
import { createList } from './list.ts';
import { createProofStore } from './proofs.ts';
import { createPrepare } from './preparedListings.ts';
import { createPropose } from './propose.ts';
import { createPut } from './put.ts';
import { createReplica } from './replica.ts';
import { createSearch, isAheadOf, type State } from './search.ts';
import { createSorted } from './sorted.ts';
import { createTraitsFill } from './traitsFill.ts';

export interface StoreOptions {
  /** Maximum number of postings per search, see limits.ts. */
  readonly retrievalCap?: number | undefined;
  /** Maximum number of new listings per owner and hour. Unlimited by default. */
  readonly newListingsPerHour?: number | undefined;
  /** Limits the memory and the steps of an index that is filled from empty, see limits.ts. */
  readonly fillLimits?: FillLimits | undefined;
  readonly keeperLimits?: KeeperLimits | undefined;
  readonly sortLimits?: SortLimits | undefined;
  readonly facetLimits?: FacetLimits | undefined;
  /** Given if it is to rank by meaning, too. */
  readonly model?: Model | undefined;
}

/** Keeps the catalog in a SQLite database, through one connection. */
export function createSqliteStore(
  db: DatabaseSync,
  {
    retrievalCap,
    newListingsPerHour = Infinity,
    fillLimits = FILL_LIMITS,
    keeperLimits = KEEPER_LIMITS,
    model,
    sortLimits,
    facetLimits,
  }: StoreOptions = {},
): Store {
  const { key } = db.prepare('SELECT cursor_key AS key FROM state').get() as { key: Uint8Array };
  const selectState = db.prepare('SELECT listings, tokens, clock FROM state');
  const put = createPut(db, newListingsPerHour);
  const list = createList(db);
  const sorted = createSorted(db, sortLimits);
  const facetsOf = createFacetCounts(db, facetLimits);
  const search = createSearch(db, retrievalCap);
  const hidden = createHidden(db);
  const itemsOf = createItems(db);
  const pageOf = createPageOf(itemsOf);

  return {
    cursorKey: key,
    put,
    ...createPropose(db),
    proofs: createProofStore(db),
    prepare: createPrepare(),
    ...createReplica(db, fillLimits),
    list: (filters, offset, limit, withFacets = false) =>
      transaction(db, 'BEGIN', () => {
        const { ids, total } = list(filters, offset, limit);
        return { ...itemsOf(ids), total, facets: withFacets ? facetsOf(filters) : undefined };
      }),
    sorted: (filters, sort, limit, after, withFacets = false) =>
      transaction(db, 'BEGIN', () => {
        const page = sorted(filters, sort, limit, after);
        if (page === undefined) return undefined;
        const { ids, total, next } = page;
        return { ...itemsOf(ids), total, next, facets: withFacets ? facetsOf(filters) : undefined };
      }),
    search: (tokens, filters, limit, after) =>
      transaction(db, 'BEGIN', () => pageOf(search(tokens, filters, limit, after), limit)),
    hybrid: model && createHybridStore({ db, model, pageOf }),
    isAhead: ({ snapshot }) => isAheadOf(selectState.get() as unknown as State, snapshot),
    checkWritable: () => checkWritable(db),
    read: (unread) => itemsOf(unread.filter((id) => !hidden.has(id))),
    traitsFill: createTraitsFill(db),
    keeper: createKeeperStore(db, keeperLimits),
    tidy: () => checkpoint(db),
    close: () => db.close(),
  };
}

/** Found hits, best first: one more than asked for shows that another page follows. */
interface FoundHits<H, S> {
  readonly hits: readonly H[];
  readonly snapshot: S;
  readonly capped: boolean;
}

function createPageOf(itemsOf: (listings: readonly number[]) => Items) {
  return <H extends { listing: number }, S>(
    found: FoundHits<H, S> | undefined,
    limit: number,
  ): SearchPage<H & { snapshot: S }> | undefined => {
    if (found === undefined) return undefined;
    const { hits, snapshot, capped } = found;
    const page = hits.slice(0, limit);
    const last = page.at(-1);
    return {
      ...itemsOf(page.map(({ listing }) => listing)),
      next: hits.length > limit && last !== undefined ? { snapshot, ...last } : undefined,
      capped,
    };
  };
}

export type PageOf = ReturnType<typeof createPageOf>;

function createItems(db: DatabaseSync) {
  // Leave out a row that is damaged or gone, and serve the others.
  const select = db.prepare(
    "SELECT item, proven_until AS provenUntil FROM listing WHERE id = ? AND json_valid(item) AND substr(item, 1, 1) = '{'",
  );
  return (listings: readonly number[]): Items => {
    const items: string[] = [];
    let bytes = 0;
    for (const [at, id] of listings.entries()) {
      const row = select.get(id) as { item: string; provenUntil: number | null } | undefined;
      if (row === undefined) continue;
      const item = shownItem(row, Date.now());
      bytes += Buffer.byteLength(item);
      if (bytes > PART_LIMIT_BYTES && items.length > 0) return { items, unread: listings.slice(at) };
      items.push(item);
    }
    return { items, unread: [] };
  };
}
