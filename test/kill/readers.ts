import type { DiscoveryListResponse, DiscoveryResource } from '../../src/contract/index.ts';

const PAGE = 100;

/** Everything that the service lists, page by page. */
export async function readListings(url: string): Promise<DiscoveryResource[]> {
  const listings: DiscoveryResource[] = [];
  for (;;) {
    const response = await fetch(`${url}/discovery/resources?limit=${PAGE}&offset=${listings.length}`);
    const { items } = (await response.json()) as DiscoveryListResponse;
    if (items.length === 0) return listings;
    listings.push(...items);
  }
}
