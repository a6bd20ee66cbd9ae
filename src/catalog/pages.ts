import type { Refusal } from '../contract/index.ts';
import { X402_VERSION } from './item.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_QUERY_WORDS } from './limits.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { Filters, ListRequest, SearchRequest, Sort } from './requests.ts';
import { readCursor, readPlace, writeCursor, writePlace } from './search/cursor.ts';
import { readCursor as readHybridCursor, writeCursor as writeHybridCursor } from './hybrid/cursor.ts';
import { tokensOf } from './search/tokens.ts';
import type { HybridStore, Items, Store } from './store.ts';

/** JSON in UTF-8: a page, or a part of a large one. */
export interface Part {
  readonly json: Uint8Array;
  /** The rest of the page; absent in its last part. */
  readonly rest?: Rest;
}

export interface Rest {
  /** Ids of the listings that are still to be read. */
  readonly listings: readonly number[];
  /** The text that follows the listings. */
  readonly tail: string;
}

/** Refuses a cursor that does not belong to the request, or has expired. */
export interface CursorRefusal extends Refusal<'svc_invalid_search_cursor'> {
  /** True if it was issued by an instance whose index is ahead of this one. */
  readonly isAhead?: true;
}

/**
 * Answers lists and searches with pages of JSON. They are overloaded if they need what the file of an older version is
 * still being given.
 */
export interface Pages {
  list(request: ListRequest): Part | Overloaded | CursorRefusal;
  search(request: SearchRequest): Part | Overloaded | CursorRefusal;
  /** Returns the next part of a page. */
  more(rest: Rest): Part;
}

export function createPages(
  store: Pick<
    Store,
    'list' | 'sorted' | 'search' | 'hybrid' | 'read' | 'isAhead' | 'cursorKey' | 'traitsFill'
  >,
): Pages {
  /** True if the file does not have all that the answer needs. */
  const isTooEarly = ({ asset, updatedSince }: Filters, sort?: Sort, withFacets = false): boolean =>
    ((asset ?? updatedSince) !== undefined || sort === 'lastUpdated' || withFacets) &&
    store.traitsFill.isUnderWay();
  const sorted = createSortedPages(store);
  const search = createSearchPages(store);

  return {
    list(request) {
      const { filters, limit: requested, offset = 0, sort, facets: withFacets } = request;
      if (isTooEarly(filters, sort, withFacets)) return OVERLOADED;
      if (sort !== undefined) return sorted({ ...request, sort });
      const limit = pageSize(requested);
      const { total, facets, ...found } = store.list(filters, offset, limit, withFacets);
      return page('items', found, { pagination: { limit, offset, total }, facets });
    },

    search: (request) => (isTooEarly(request.filters) ? OVERLOADED : search(request)),

    more({ listings, tail }) {
      const { items, unread } = store.read(listings);
      return partOf(items.map((item) => `,${item}`).join(''), unread, tail);
    },
  };
}

function createSortedPages(
  store: Pick<Store, 'sorted' | 'cursorKey'>,
): (request: ListRequest & { sort: Sort }) => Part | CursorRefusal {
  return ({ filters, limit: requested, sort, cursor, facets: withFacets }) => {
    const context = { query: '', filters, key: store.cursorKey, ranking: `list by ${sort}` };
    const after = cursor === undefined ? undefined : readPlace(cursor, context);
    if (cursor !== undefined && after === undefined) return UNKNOWN_CURSOR;
    const limit = pageSize(requested);
    const answer = store.sorted(filters, sort, limit, after, withFacets);
    if (answer === undefined) return UNKNOWN_CURSOR;
    const { total, next, facets, ...found } = answer;
    const pagination = {
      limit,
      offset: 0,
      total,
      cursor: next === undefined ? null : writePlace(next, context),
    };
    return page('items', found, { pagination, facets });
  };
}

/** A search is answered by the ranking that its cursor is of; without one, by the hybrid ranking if it is ready. */
function createSearchPages(
  store: Pick<Store, 'search' | 'hybrid' | 'isAhead' | 'cursorKey'>,
): Pages['search'] {
  function lexical({ query, filters, limit, cursor }: SearchRequest): Part | CursorRefusal {
    const context = { query, filters, key: store.cursorKey };
    const after = cursor === undefined ? undefined : readCursor(cursor, context);
    if (cursor !== undefined && after === undefined) return UNKNOWN_CURSOR;
    if (after !== undefined && store.isAhead(after)) return AHEAD;
    const words = [...new Set(tokensOf(query))];
    const tokens = words.slice(0, MAX_QUERY_WORDS);
    const found = store.search(tokens, filters, pageSize(limit), after);
    if (found === undefined) return UNKNOWN_CURSOR;
    return searchPage(found, {
      leavesOut: found.capped || tokens.length < words.length,
      cursor: found.next && writeCursor(found.next, context),
      ranking: store.hybrid && 'lexical',
    });
  }

  /** Returns undefined if the index is not ready, or the cursor is one of the lexical ranking. */
  function hybrid(
    { query, filters, limit, cursor }: SearchRequest,
    { search, name }: HybridStore,
  ): Part | CursorRefusal | undefined {
    const context = { query, filters, key: store.cursorKey, ranking: name };
    const after = cursor === undefined ? undefined : readHybridCursor(cursor, context);
    if (cursor !== undefined && after === undefined) return undefined;
    if (after !== undefined && store.isAhead(after)) return AHEAD;
    const found = search(query, filters, pageSize(limit), after);
    if (found === 'not ready') return undefined;
    if (found === undefined) return UNKNOWN_CURSOR;
    return searchPage(found, {
      leavesOut: found.capped,
      cursor: found.next && writeHybridCursor(found.next, context),
      ranking: 'hybrid',
    });
  }

  return (request) => {
    const byHybrid =
      store.hybrid && request.ranking !== 'lexical' ? hybrid(request, store.hybrid) : undefined;
    return byHybrid ?? lexical(request);
  };
}

function searchPage(
  found: Items,
  said: { leavesOut: boolean; cursor: string | undefined; ranking: 'lexical' | 'hybrid' | undefined },
): Part {
  const { leavesOut, cursor, ranking } = said;
  return page('resources', found, {
    partialResults: cursor !== undefined || leavesOut,
    pagination: { limit: found.items.length + found.unread.length, cursor: cursor ?? null },
    ...(ranking && { ranking }),
  });
}

export const UNKNOWN_CURSOR: CursorRefusal = {
  code: 'svc_invalid_search_cursor',
  message:
    'The cursor was not issued for this query and these filters, or has expired; start again without it.',
};

const AHEAD: CursorRefusal = { ...UNKNOWN_CURSOR, isAhead: true };

/** Clamps the page size, and never rejects it. */
function pageSize(requested = DEFAULT_PAGE_SIZE): number {
  return Math.min(MAX_PAGE_SIZE, Math.max(1, requested));
}

/** Builds a page, or its first part. Items are JSON text and are inserted unchanged. */
function page(name: 'items' | 'resources', { items, unread }: Items, rest: object): Part {
  const tail = `],${JSON.stringify(rest).slice(1)}`;
  return partOf(`{"x402Version":${X402_VERSION},"${name}":[${items.join(',')}`, unread, tail);
}

function partOf(text: string, unread: readonly number[], tail: string): Part {
  if (unread.length === 0) return { json: encoder.encode(text + tail) };
  return { json: encoder.encode(text), rest: { listings: unread, tail } };
}

const encoder = new TextEncoder();
