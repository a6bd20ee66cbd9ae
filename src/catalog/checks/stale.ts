import type { DiscoveryResource } from '../../contract/index.ts';

/** Says why a listing is marked, and since when, as it is served. */
export type Stale = NonNullable<DiscoveryResource['stale']>;

/** Returns the item with this mark, or without one. The mark comes last: see how imported items begin. */
export function withStale(
  { stale: _, ...item }: DiscoveryResource,
  stale: Stale | undefined,
): DiscoveryResource {
  return stale === undefined ? item : { ...item, stale };
}
