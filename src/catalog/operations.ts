import type { BazaarOutcome } from '../contract/index.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { readDeclaration } from './declaration/read.ts';
import { X402_VERSION } from './item.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_QUERY_WORDS } from './limits.ts';
import { readCursor, writeCursor } from './search/cursor.ts';
import { tokensOf } from './search/tokens.ts';
import type { Items, Settlement, Store } from './store.ts';

/** A settled payment on its way to the catalog's thread. */
export interface Submission extends Omit<Settlement, 'declaration'> {
  /** `extensions` as JSON, including `bazaar`. */
  readonly extensionsText: string;
  readonly resource: unknown;
}

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

/** Carries out the catalog's operations on a store. Lists and searches return JSON. */
export interface Operations {
  submit(submission: Submission): BazaarOutcome;
  list(request: ListRequest): Part;
  /** Returns null if the cursor does not belong to the request, or has expired. */
  search(request: SearchRequest): Part | null;
  /** Returns the next part of a page. */
  more(rest: Rest): Part;
}

export interface Rules {
  /** Allows listings whose URL names a host that is not on the public internet. True by default. */
  readonly allowsPrivateAddresses?: boolean | undefined;
}

export function createOperations(store: Store, { allowsPrivateAddresses = true }: Rules = {}): Operations {
  return {
    submit({ extensionsText, resource, ...settlement }) {
      const { bazaar } = JSON.parse(extensionsText) as { bazaar: unknown };
      const declaration = readDeclaration(bazaar, resource, allowsPrivateAddresses);
      if ('code' in declaration) return rejected(declaration.code, declaration.message);
      const [result] = store.put([{ ...settlement, declaration }]);
      if (result === 'owned by another')
        return rejected('bazaar_listing_owned_by_other_payee', OWNED_BY_OTHER);
      if (result === 'too many new') return rejected('bazaar_too_many_new_listings', TOO_MANY_NEW);
      return { status: 'success' };
    },

    list({ filters, limit: requested, offset = 0 }) {
      const limit = pageSize(requested);
      const { total, ...found } = store.list(filters, offset, limit);
      return page('items', found, { pagination: { limit, offset, total } });
    },

    search({ query, filters, limit: requested, cursor }) {
      const context = { query, filters, key: store.cursorKey };
      const after = cursor === undefined ? null : readCursor(cursor, context);
      if (cursor !== undefined && after === null) return null;
      const words = [...new Set(tokensOf(query))];
      const tokens = words.slice(0, MAX_QUERY_WORDS);
      const found = store.search(tokens, filters, pageSize(requested), after);
      if (found === null) return null;
      const { items, unread, next, capped } = found;
      return page('resources', found, {
        partialResults: next !== null || capped || tokens.length < words.length,
        pagination: { limit: items.length + unread.length, cursor: next && writeCursor(next, context) },
      });
    },

    more({ listings, tail }) {
      const { items, unread } = store.read(listings);
      return partOf(items.map((item) => `,${item}`).join(''), unread, tail);
    },
  };
}

const OWNED_BY_OTHER =
  'The listing of this resource belongs to another payTo, which was paid for it first. Settle with that payTo, or offer the resource at another URL.';

const TOO_MANY_NEW =
  'This payTo has made as many new listings within the last hour as it may here. Its existing listings are refreshed as always. To list this resource, settle for it again later.';

function rejected(code: NonNullable<BazaarOutcome['code']>, rejectedReason: string): BazaarOutcome {
  return { status: 'rejected', rejectedReason, code };
}

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
