import type { Refusal } from '../contract/index.ts';
import { X402_VERSION } from './item.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_QUERY_WORDS } from './limits.ts';
import { OVERLOADED, type Overloaded } from './queue.ts';
import type { Filters, ListRequest, SearchRequest } from './requests.ts';
import { readCursor, writeCursor } from './search/cursor.ts';
import { tokensOf } from './search/tokens.ts';
import type { Items, Store } from './store.ts';

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
  list(request: ListRequest): Part | Overloaded;
  search(request: SearchRequest): Part | Overloaded | CursorRefusal;
  /** Returns the next part of a page. */
  more(rest: Rest): Part;
}

export function createPages(
  store: Pick<Store, 'list' | 'search' | 'read' | 'isAhead' | 'cursorKey' | 'traitsFill'>,
): Pages {
  /** True if the file does not have all that the filters need. */
  const isTooEarly = ({ asset, updatedSince }: Filters): boolean =>
    (asset ?? updatedSince) !== undefined && store.traitsFill.isUnderWay();

  return {
    list({ filters, limit: requested, offset = 0 }) {
      if (isTooEarly(filters)) return OVERLOADED;
      const limit = pageSize(requested);
      const { total, ...found } = store.list(filters, offset, limit);
      return page('items', found, { pagination: { limit, offset, total } });
    },

    search({ query, filters, limit: requested, cursor }) {
      if (isTooEarly(filters)) return OVERLOADED;
      const context = { query, filters, key: store.cursorKey };
      const after = cursor === undefined ? undefined : readCursor(cursor, context);
      if (cursor !== undefined && after === undefined) return UNKNOWN_CURSOR;
      if (after !== undefined && store.isAhead(after)) return { ...UNKNOWN_CURSOR, isAhead: true };
      const words = [...new Set(tokensOf(query))];
      const tokens = words.slice(0, MAX_QUERY_WORDS);
      const found = store.search(tokens, filters, pageSize(requested), after);
      if (found === undefined) return UNKNOWN_CURSOR;
      const { items, unread, next, capped } = found;
      return page('resources', found, {
        partialResults: next !== undefined || capped || tokens.length < words.length,
        pagination: {
          limit: items.length + unread.length,
          cursor: next === undefined ? null : writeCursor(next, context),
        },
      });
    },

    more({ listings, tail }) {
      const { items, unread } = store.read(listings);
      return partOf(items.map((item) => `,${item}`).join(''), unread, tail);
    },
  };
}

export const UNKNOWN_CURSOR: CursorRefusal = {
  code: 'svc_invalid_search_cursor',
  message:
    'The cursor was not issued for this query and these filters, or has expired; start again without it.',
};

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
