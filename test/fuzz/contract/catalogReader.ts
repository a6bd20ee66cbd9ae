/** The catalog as its clients read it: page after page, each held to what the contract says of it. */
import type {
  DiscoveryListResponse,
  DiscoveryResource,
  DiscoverySearchResponse,
} from '../../../src/contract/index.ts';
import type { Context } from './context.ts';
import { differs } from './differs.ts';
import { getRequest } from './exchange.ts';
import { bodyOf } from './judge.ts';

const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;
/** More pages than any walk here has. */
const PAGES_LIMIT = 500;
/** Those that are compared as text. */
export const FILTERS = ['type', 'payTo', 'scheme', 'network', 'extensions', 'resource', 'asset'] as const;

export type Filters = Partial<
  Record<(typeof FILTERS)[number] | 'maxAmount' | 'updatedSince' | 'verified', string>
>;
export type Named = readonly [string, string];

export interface CatalogReader {
  /** As the service lists it now: payments of other rules add to it. */
  wholeList(): Promise<DiscoveryResource[]>;
  /** All results of a search. The limits are those of its pages, in turn. */
  walk(asked: readonly Named[], limits: readonly (number | undefined)[]): Promise<DiscoveryResource[]>;
}

export function createCatalogReader(context: Context): CatalogReader {
  const list = context.operation('listResources');
  const search = context.operation('searchResources');
  return { wholeList, walk };

  async function wholeList(): Promise<DiscoveryResource[]> {
    const all: DiscoveryResource[] = [];
    for (let total = 1; all.length < total;) {
      const request = getRequest(list.path, [...number('limit', MAX_LIMIT), ...number('offset', all.length)]);
      const answer = await context.send(list, request);
      const page = bodyOf(answer) as DiscoveryListResponse;
      total = page.pagination.total;
      const complaints = differs(
        'the number of items',
        page.items.length,
        Math.min(MAX_LIMIT, total - all.length),
      );
      context.complain(request, answer, complaints);
      all.push(...page.items);
    }
    return all;
  }

  async function walk(
    asked: readonly Named[],
    limits: readonly (number | undefined)[],
  ): Promise<DiscoveryResource[]> {
    const found: DiscoveryResource[] = [];
    let cursor: string | null = null;
    for (let page = 1; page <= PAGES_LIMIT; page += 1) {
      const limit = limits[(page - 1) % limits.length];
      const size = pageSize(limit);
      const first = [...asked, ...number('limit', limit)];
      const request = getRequest(search.path, cursor === null ? first : [...first, ['cursor', cursor]]);
      const answer = await context.send(search, request);
      const { resources, partialResults, pagination } = bodyOf(answer) as DiscoverySearchResponse;
      const isLast = pagination.cursor === null;
      const complaints = [
        ...differs('pagination.limit', pagination.limit, resources.length),
        ...differs('partialResults', partialResults, !isLast),
        ...(resources.length > size ? [`${resources.length} results on a page of ${size}`] : []),
        ...(!isLast && resources.length < size ? ['a page that is not the last is not full'] : []),
        ...(page > 1 && resources.length === 0 ? ['the cursor of the last page is not null'] : []),
      ];
      context.complain(request, answer, complaints);
      found.push(...resources);
      if (isLast) return found;
      cursor = pagination.cursor;
    }
    const request = getRequest(search.path, asked);
    context.complain(request, await context.send(search, request), ['the cursors do not end']);
    return found;
  }
}

/** How many fit on a page. */
export const pageSize = (limit: number | undefined): number =>
  Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT);

export const named = (filters: Filters): Named[] => Object.entries(filters);

export const number = (name: string, value: number | undefined): Named[] =>
  value === undefined ? [] : [[name, String(value)]];

/** All filters, and those about terms within one entry of `accepts`. */
export function isMatch(listing: DiscoveryResource, filters: Filters): boolean {
  const { type, resource, accepts, extensions, lastUpdated } = listing;
  return (
    (filters.type === undefined || filters.type === type) &&
    (filters.resource === undefined || filters.resource === resource) &&
    (filters.updatedSince === undefined || Date.parse(filters.updatedSince) <= Date.parse(lastUpdated)) &&
    (filters.verified === undefined || filters.verified === String(listing.verified !== undefined)) &&
    (filters.extensions === undefined || Object.hasOwn(extensions ?? {}, filters.extensions)) &&
    accepts.some(
      (terms) =>
        (['payTo', 'scheme', 'network', 'asset'] as const).every(
          (name) => filters[name] === undefined || filters[name] === terms[name],
        ) &&
        (filters.maxAmount === undefined || BigInt(terms.amount) <= BigInt(filters.maxAmount)),
    )
  );
}

/** Whole listings, in no order that means anything. */
export const textsOf = (listings: readonly DiscoveryResource[]): string[] =>
  keysOf(listings)
    .map((key, nth) => `${key} ${JSON.stringify(listings[nth])}`)
    .sort();

/** What makes a listing the one that it is. */
export const keysOf = (listings: readonly DiscoveryResource[]): string[] =>
  listings.map(({ resource, type, extensions }) => {
    const { info } = (extensions?.['bazaar'] ?? {}) as any;
    return `${resource} ${type} ${info?.input?.toolName ?? ''}`;
  });
