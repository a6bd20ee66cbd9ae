import type { Pool } from './pool.ts';
import { OVERLOADED } from './queue.ts';

/** The number of listings, from time to time. */
export interface ListingCount {
  /** Returns the number when they were last counted; undefined before, or if that failed. */
  latest(): number | undefined;
  /** Counts them; one question, however many ask. Never rejects. */
  count(): Promise<void>;
}

export function createListingCount(readers: Pick<Pool, 'ask'>): ListingCount {
  let listings: number | undefined;
  let counting: Promise<void> | undefined;

  async function count(): Promise<void> {
    const counted = await readers.ask('count', undefined, {}).catch(() => OVERLOADED);
    listings = 'code' in counted ? undefined : counted.listings;
    counting = undefined;
  }

  return {
    latest: () => listings,
    count: () => (counting ??= count()),
  };
}
