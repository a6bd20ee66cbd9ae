import { describe, expect, test } from 'vitest';
import { PART_LIMIT_BYTES } from '../../src/catalog/limits.ts';
import { createOperations } from '../../src/catalog/operations.ts';
import type { Part } from '../../src/catalog/pages.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import type { DiscoverySearchResponse } from '../../src/contract/index.ts';
import { settlementOf } from './drafts.ts';
import { openCatalog, type TestCatalog } from './openCatalog.ts';
import { partsOf, readParts } from './pages.ts';
import { stores } from './stores.ts';

const LISTINGS = 45;
const LISTING_BYTES = 60_000;

/** A listing of nearly the most that one may have; each with other bytes. */
function large(name: string): Settlement {
  const settlement = settlementOf({ name, description: 'large' });
  const { declaration } = settlement;
  const example = `${name} ü`.repeat(LISTING_BYTES / (name.length + 3));
  return { ...settlement, declaration: { ...declaration, bazaar: { ...declaration.bazaar, example } } };
}

function filled({ store }: TestCatalog): Settlement[] {
  const settlements = Array.from({ length: LISTINGS }, (_, nth) => large(`n${nth}`));
  store.put(settlements);
  return settlements;
}

describe.each(stores)('a page that is large, in $name,', (kind) => {
  test('is made in bounded parts, which are the page together', () => {
    using catalog = openCatalog(kind);
    filled(catalog);
    const operations = createOperations(catalog.store);
    const first = operations.list({ filters: {}, limit: 100 });
    const parts = [...partsOf(operations, first)];
    expect(parts.length).toBeGreaterThan(LISTINGS / 5);
    for (const part of parts) expect(part.length).toBeLessThan(PART_LIMIT_BYTES + LISTING_BYTES);
    // As it would be in one piece.
    const all = Array.from({ length: LISTINGS }, (_, nth) => catalog.store.list({}, nth, 1).items[0]!);
    expect(Buffer.concat(parts).toString()).toBe(
      `{"x402Version":2,"items":[${all.join(',')}],"pagination":{"limit":100,"offset":0,"total":${LISTINGS}}}`,
    );
  });

  test('of a search has the same cursor and the same order', () => {
    using catalog = openCatalog(kind);
    filled(catalog);
    const whole = catalog.search('large', { limit: 100 })!;
    expect(whole.pagination).toEqual({ limit: LISTINGS, cursor: null });
    const first = catalog.search('large', { limit: 30 })!;
    const { cursor } = first.pagination;
    const second = catalog.search('large', { limit: 30, cursor: cursor! })!;
    expect([...first.resources, ...second.resources]).toEqual(whole.resources);
  });

  test('says what a listing says by then, each listing once', () => {
    using catalog = openCatalog(kind);
    const settlements = filled(catalog);
    const operations = createOperations(catalog.store);
    const first = operations.search({ query: 'large', filters: {}, limit: 100 });
    const [begun, ...later] = settlements;
    const renamed = { ...begun!.declaration.metadata, serviceName: 'renamed' };
    const refreshed = [begun!, ...later].map((settlement) => ({
      ...settlement,
      declaration: { ...settlement.declaration, metadata: renamed },
    }));
    catalog.store.put([...refreshed, large('new')]);
    const { resources } = readParts<DiscoverySearchResponse>(operations, first);
    expect(new Set(resources.map(({ resource }) => resource)).size).toBe(LISTINGS);
    expect(resources[0]!.serviceName).toBeUndefined();
    expect(resources.at(-1)!.serviceName).toBe('renamed');
  });
});

test('a page of ordinary size is one part', () => {
  using catalog = openCatalog(stores[0]!);
  catalog.put(...Array.from({ length: 100 }, (_, nth) => ({ name: `n${nth}`, description: 'ordinary' })));
  const operations = createOperations(catalog.store);
  const parts = [
    operations.list({ filters: {}, limit: 100 }),
    operations.search({ query: 'ordinary', filters: {}, limit: 100 }),
    operations.search({ query: 'nothing', filters: {} }),
  ];
  expect(parts.map((part) => (part as Part).rest)).toEqual([undefined, undefined, undefined]);
});
