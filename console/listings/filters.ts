/** The lists of the catalog's keeper, and the filters in the page's address. */
import { withQuery, type Act, type KeptListing, type KeptPage } from '../parts/api.ts';
import { givenIn } from '../parts/form.ts';
import type { Source } from '../parts/pages.ts';

export const LISTINGS: Source<KeptListing> = {
  path: '/listings',
  from: 'after',
  read: ({ listings, next }: KeptPage) => ({ rows: listings, next }),
};

export const ACTS: Source<Act> = {
  path: '/acts',
  from: 'before',
  read: ({ acts }: { acts: readonly Act[] }, limit) => ({
    rows: acts,
    next: acts.length < limit ? undefined : acts.at(-1)?.id,
  }),
};

const FILTER_NAMES = ['text', 'origin', 'payTo', 'hidden'] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>;

export const filtersIn = (query: Readonly<Record<string, string | undefined>>): Filters =>
  givenIn(query, FILTER_NAMES, 512);

export const addressOf = (filters: Filters): string => withQuery('#/listings', filters);
export const listingAddress = (id: number): string => `#/listings/${id}`;

/** Returns the origin of a resource; undefined if it is not http or https, and so cannot be blocked. */
export function originOf(resource: string): string | undefined {
  const url = URL.parse(resource);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.origin : undefined;
}
