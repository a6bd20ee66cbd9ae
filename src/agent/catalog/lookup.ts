import { hash } from 'node:crypto';
import { Failure } from '../codes.ts';
import type { JsonObject } from '../json.ts';
import { CATALOG_LIMITS, type AgentLimits } from '../limits.ts';
import { formatResourceId, parseResourceId, type ListingKey } from '../resourceId.ts';
import type { Facilitator, ListPage } from './facilitator.ts';
import { listingKey } from './listing.ts';
import { lowestPrices, type ListedPrices, type PaidIn } from './prices.ts';

/** Finds a listing by its id in the current catalog. */
export interface Lookup {
  /**
   * Remembers the lowest prices with which a listing was shown, since others' searches may come later and show higher ones,
   * and its recipient, whose listings `find` searches first.
   */
  remember(listing: JsonObject): void;
  find(id: string): Promise<FoundListing | Failure>;
  /** Returns the lowest prices with which this listing was shown; undefined if it was not shown. */
  shownPrices(key: ListingKey): ListedPrices | undefined;
}

export interface FoundListing {
  readonly key: ListingKey;
  readonly listing: JsonObject;
  readonly listedPrices: ListedPrices;
}

export interface LookupDeps {
  facilitator: Facilitator;
  paidIn: PaidIn;
  limits: AgentLimits;
}

/**
 * Asks the list for the listing's URL. A facilitator that does not know this filter ignores it and lists all others, too.
 * So the list is walked: first the listings that pay the same recipient (if known), then all of the type, within bounds.
 */
export function createLookup(deps: LookupDeps): Lookup {
  const { paidIn, limits } = deps;
  /** By the hash of an id, since ids are long. */
  const shown = new Map<string, { payTo: string | undefined; prices: ListedPrices }>();

  return {
    remember(listing) {
      const key = listingKey(listing);
      if (key === undefined) return;
      const id = shortOf(formatResourceId(key));
      const prices = lowestPrices(listing, paidIn, shown.get(id)?.prices);
      shown.delete(id);
      shown.set(id, { payTo: anyPayTo(listing), prices });
      const [oldest] = shown.keys();
      if (shown.size > limits.maxKnownListings && oldest !== undefined) shown.delete(oldest);
    },
    async find(id) {
      const key = parseResourceId(id);
      if (key === undefined)
        return unknown('The id is malformed: copy one from search_resources, every character of it.');
      const signal = AbortSignal.timeout(limits.lookupTimeoutMs);
      const { payTo, prices } = shown.get(shortOf(id)) ?? {};
      let found = payTo === undefined ? undefined : await walk(deps, key, { payTo }, signal);
      if (found === undefined) found = await walk(deps, key, {}, signal);
      if (found === undefined) return unknown('The catalog does not have this listing, or no longer has it.');
      if (found instanceof Failure) return found;
      return { key, listing: found, listedPrices: lowestPrices(found, paidIn, prices) };
    },
    shownPrices: (key) => shown.get(shortOf(formatResourceId(key)))?.prices,
  };
}

const shortOf = (id: string): string => hash('sha256', id, 'base64url');

/** Returns the listing, undefined if there is none, or a failure if not all pages could be searched. */
async function walk(
  { facilitator, limits }: LookupDeps,
  key: ListingKey,
  filters: { payTo?: string },
  signal: AbortSignal,
): Promise<JsonObject | Failure | undefined> {
  const page = (index: number): Promise<ListPage | Failure> =>
    facilitator.list(
      {
        ...{ type: key.type, resource: key.resource, ...filters },
        ...{ limit: CATALOG_LIMITS.pageSize, offset: index * CATALOG_LIMITS.pageSize },
      },
      signal,
    );
  let pages = 1;
  for (let next = 0; next < pages;) {
    const count = next === 0 ? 1 : Math.min(limits.pagesAtOnce, pages - next);
    const answers = await Promise.all(Array.from({ length: count }, (_, index) => page(next + index)));
    next += count;
    for (const answer of answers) {
      // If not even the first answer came in time, the size of the catalog is not the cause.
      if (answer instanceof Failure) return signal.aborted && next > count ? tooMany() : answer;
      const found = answer.items.find((listing) => isListing(listing, key));
      if (found !== undefined) return found;
      pages = Math.ceil(answer.total / CATALOG_LIMITS.pageSize);
    }
    if (next >= limits.maxPages) return tooMany();
  }
  return undefined;
}

function isListing(listing: JsonObject, { type, resource, toolName }: ListingKey): boolean {
  const key = listingKey(listing);
  return key?.type === type && key.resource === resource && key.toolName === toolName;
}

function anyPayTo({ accepts }: JsonObject): string | undefined {
  const [first] = Array.isArray(accepts) ? accepts : [];
  const payTo = (first as JsonObject | undefined)?.['payTo'];
  return typeof payTo === 'string' ? payTo : undefined;
}

function unknown(reason: string): Failure {
  return new Failure('svc_mcp_unknown_resource_id', `${reason} Nothing was paid.`);
}

function tooMany(): Failure {
  return unknown(
    'The listing was not found within the bounds of a lookup: the catalog is large. Search for it first; ids of recent results are found at once.',
  );
}
