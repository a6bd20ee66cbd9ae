import type { Refusal } from '../contract/index.ts';
import { readDeclaration } from './declaration/read.ts';
import { refuse } from './declaration/refusal.ts';
import { X402_VERSION } from './item.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_QUERY_WORDS } from './limits.ts';
import type { CatalogRefusal } from './listing.ts';
import type { KeeperCall } from './keeper/store.ts';
import type { ListRequest, SearchRequest } from './requests.ts';
import { readCursor, writeCursor } from './search/cursor.ts';
import { tokensOf } from './search/tokens.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';
import type {
  Items,
  ListingBatch,
  LogBatch,
  Current,
  Proposal,
  Settlement,
  Standing,
  Store,
} from './store.ts';

/** A settled payment on its way to the catalog's thread. */
export interface Submission extends Omit<Settlement, 'declaration'> {
  /** `extensions` as JSON, including `bazaar`. */
  readonly extensionsText: string;
  readonly resource: unknown;
  /** See SettledPayment. */
  readonly transaction?: string | undefined;
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

/** Refuses a cursor that does not belong to the request, or has expired. */
export interface CursorRefusal extends Refusal<'svc_invalid_search_cursor'> {
  /** True if it was issued by an instance whose index is ahead of this one. */
  readonly isAhead?: true;
}

/** A settled payment on its way to the shared log. */
export interface ProposeRequest {
  readonly submission: Submission;
  /** What the log has of the listing, if that is not what the index has. */
  readonly current: Current;
}

/** Carries out the catalog's operations on a store. Lists and searches return JSON. */
export interface Operations {
  /** Returns undefined if the resource was listed. */
  submit(submission: Submission): CatalogRefusal | undefined;
  /** Returns what is to be written to the shared log. */
  propose(request: ProposeRequest): Proposal | CatalogRefusal;
  apply(batch: LogBatch): Standing;
  prepare(batch: ListingBatch): PreparedListings;
  fill(listings: PreparedListings): Standing;
  writeFill(): Standing;
  standing(): Standing;
  list(request: ListRequest): Part;
  search(request: SearchRequest): Part | CursorRefusal;
  /** Returns the number of all listings. */
  count(): { listings: number };
  /** Writes something. Throws if the file does not take it. */
  checkWritable(): void;
  /** Returns the next part of a page. */
  more(rest: Rest): Part;
  /** Carries out what the catalog's keeper asks of the store. */
  keeperRead(call: KeeperCall): unknown;
  keeperWrite(call: KeeperCall): unknown;
}

export interface Rules {
  /** Allows listings whose URL names a host that is not on the public internet. True by default. */
  readonly allowsPrivateAddresses?: boolean | undefined;
}

export function createOperations(store: Store, { allowsPrivateAddresses = true }: Rules = {}): Operations {
  function read({ extensionsText, resource, ...settlement }: Submission): Settlement | CatalogRefusal {
    const { bazaar } = JSON.parse(extensionsText) as { bazaar: unknown };
    const declaration = readDeclaration(bazaar, resource, allowsPrivateAddresses);
    return 'code' in declaration ? declaration : { ...settlement, declaration };
  }

  // The argument fits the method: both come from one call.
  const keep = ({ method, argument }: KeeperCall): unknown => store.keeper[method](argument as never);

  return {
    submit(submission) {
      const settlement = read(submission);
      if ('code' in settlement) return settlement;
      const [result] = store.put([settlement]);
      if (result === 'owned by another') return OWNED_BY_OTHER;
      if (result === 'blocked' || result === 'hidden') return NOT_SHOWN;
      return result === 'too many new' ? TOO_MANY_NEW : undefined;
    },

    propose({ submission, current }) {
      const settlement = read(submission);
      if ('code' in settlement) return settlement;
      const proposal = store.propose(settlement, current);
      return proposal === 'owned by another' ? OWNED_BY_OTHER : proposal;
    },

    apply: store.apply,
    prepare: store.prepare,
    fill: store.fill,
    writeFill: store.writeFill,
    standing: store.standing,

    list({ filters, limit: requested, offset = 0 }) {
      const limit = pageSize(requested);
      const { total, ...found } = store.list(filters, offset, limit);
      return page('items', found, { pagination: { limit, offset, total } });
    },

    search({ query, filters, limit: requested, cursor }) {
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

    count: () => ({ listings: store.list({}, 0, 0).total }),
    checkWritable: store.checkWritable,
    keeperRead: keep,
    keeperWrite: keep,

    more({ listings, tail }) {
      const { items, unread } = store.read(listings);
      return partOf(items.map((item) => `,${item}`).join(''), unread, tail);
    },
  };
}

const OWNED_BY_OTHER = refuse(
  'bazaar_listing_owned_by_other_payee',
  'The listing of this resource belongs to another payTo, which was paid for it first. Settle with that payTo, or offer the resource at another URL.',
);
/** Does not give the operator's reason. */
export const NOT_SHOWN = refuse(
  'bazaar_listing_blocked',
  'The operator of this facilitator does not list this resource. Payments for it settle as always. Ask the operator if you think that this is wrong.',
);
export const TOO_MANY_NEW = refuse(
  'bazaar_too_many_new_listings',
  'This payTo has made as many new listings within the last hour as it may here. Its existing listings are refreshed as always. To list this resource, settle for it again later.',
);
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
