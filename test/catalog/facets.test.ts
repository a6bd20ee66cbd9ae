import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Filters } from '../../src/catalog/requests.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import type { DiscoveryResource, FacetCounts } from '../../src/contract/index.ts';
import { sample } from '../support/sample.ts';
import { TERMS, urlOf, type Draft } from './drafts.ts';
import { openCatalog, type Connection } from './openCatalog.ts';
import { BY_ADA } from './sellers.ts';
import { quickStore, stores } from './stores.ts';

const SEED = 20261129;
const FIRST_SHOWN = { by: 'well-known', at: '2026-01-01T00:00:00.000Z' } as const;

function prove({ store }: Connection, id: number, until: string): void {
  store.proofs.record({ id, owner: TERMS.payTo, verified: { ...FIRST_SHOWN, until } });
}

/** What the list says of its matches, each facet by value. */
function facetsOf(catalog: Connection, filters: Filters = {}) {
  const { isComplete, ...facets } = catalog.list({ filters, facets: true }).facets!;
  for (const counts of Object.values(facets)) {
    const numbers = counts.map(({ count }) => count);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  }
  return { ...byValue(facets), isComplete };
}

const byValue = (facets: Record<string, FacetCounts>): Record<string, Record<string, number>> =>
  Object.fromEntries(
    Object.entries(facets).map(([name, counts]) => [
      name,
      Object.fromEntries(counts.map(({ value, count }) => [value, count])),
    ]),
  );

/** The same, counted one listing after the other. */
function counted(listings: readonly DiscoveryResource[]) {
  const count = (valuesOf: (listing: DiscoveryResource) => string[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const value of listings.flatMap((listing) => [...new Set(valuesOf(listing))]))
      counts[value] = (counts[value] ?? 0) + 1;
    return counts;
  };
  return {
    type: count(({ type }) => [type]),
    network: count(({ accepts }) => accepts.map(({ network }) => network)),
    asset: count(({ accepts }) => accepts.map(({ asset }) => asset)),
    verified: count(({ verified }) => [String(verified !== undefined)]),
    isComplete: true,
  };
}

const DRAFTS: Draft[] = [
  { name: 'a', terms: { asset: 'A1' } },
  { name: 'b', terms: { asset: 'A2', network: 'other' } },
  { name: 'b', terms: { asset: 'A1' } },
  { name: 'c', toolName: 'one', terms: { asset: 'A1' } },
  { name: 'd', toolName: 'two', terms: { asset: 'A2' } },
];

describe.each(stores)('the facets of a list, kept by $name,', (kind) => {
  test('come only if they are asked for', () => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    for (const sort of [undefined, 'lastUpdated', 'resource'] as const) {
      const { facets, ...page } = catalog.list({ sort, facets: true });
      expect(facets).toBeDefined();
      expect(JSON.stringify(catalog.list({ sort }))).toBe(JSON.stringify(page));
      expect(JSON.stringify(catalog.list({ sort, facets: false }))).toBe(JSON.stringify(page));
    }
  });

  test('count all matches, whatever page is asked for, and each under all of its networks and assets', () => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    const { facets } = catalog.list({ facets: true, offset: 3, limit: 1 });
    expect(byValue({ network: facets!.network, asset: facets!.asset })).toEqual({
      network: { [TERMS.network]: 4, other: 1 },
      asset: { A1: 3, A2: 2 },
    });
    expect(facetsOf(catalog, { asset: 'A2' })).toEqual({
      type: { http: 1, mcp: 1 },
      network: { [TERMS.network]: 2, other: 1 },
      asset: { A1: 1, A2: 2 },
      verified: { false: 2 },
      isComplete: true,
    });
  });

  test('are empty if nothing matches', () => {
    using catalog = openCatalog(kind);
    const nothing = { type: {}, network: {}, asset: {}, verified: {}, isComplete: true };
    expect(facetsOf(catalog)).toEqual(nothing);
    catalog.put(...DRAFTS);
    expect(facetsOf(catalog, { network: 'none such' })).toEqual(nothing);
  });
});

test('a proof that has ended is not counted', () => {
  using catalog = openCatalog(quickStore);
  catalog.put(...DRAFTS);
  prove(catalog, 1, '9999-01-01T00:00:00.000Z');
  prove(catalog, 2, '2026-01-02T00:00:00.000Z');
  expect(facetsOf(catalog)).toMatchObject({ verified: { true: 1, false: 3 } });
});

test('only the most listed networks and assets are counted, and the answer says so', () => {
  using catalog = openCatalog(quickStore, { facetLimits: { values: 1, terms: 100 } });
  catalog.put(...DRAFTS);
  expect(facetsOf(catalog)).toMatchObject({ asset: { A1: 3 }, isComplete: false });
});

test('only the oldest terms are looked at, and the answer says so', () => {
  using catalog = openCatalog(quickStore, { facetLimits: { values: 20, terms: 1 } });
  catalog.put(DRAFTS[0]!);
  expect(facetsOf(catalog)).toMatchObject({ asset: { A1: 1 }, isComplete: true });
  catalog.put(...DRAFTS);
  expect(facetsOf(catalog)).toMatchObject({ asset: { A1: 3 }, isComplete: false });
});

const one = <T>(...choices: T[]): fc.Arbitrary<T> => fc.constantFrom(...choices);
const settled = fc.record({
  name: one(...'abcdefghijkl'),
  toolName: one(undefined, 'tool'),
  asset: one('A1', 'A2', 'A3'),
  network: one('n1', 'n2'),
});
const filtersOf = fc.record<Filters>(
  {
    resource: one(urlOf('a'), urlOf('b')),
    type: one('http', 'mcp'),
    asset: one('A1', 'A2', 'none'),
    network: one('n1', 'n2'),
    verified: fc.boolean(),
  },
  { requiredKeys: [] },
);

test(`facets of any catalog are those of a plain count (seed ${SEED})`, () => {
  const property = fc.property(
    fc.array(settled, { maxLength: 40 }),
    fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
    fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
    fc.array(filtersOf, { minLength: 10, maxLength: 10 }),
    (payments, proven, hidden, asked) => {
      using catalog = openCatalog(quickStore);
      for (const { name, toolName, ...terms } of payments)
        catalog.put({ name, ...(toolName && { toolName }), terms });
      for (const id of proven) prove(catalog, id, '9999-01-01T00:00:00.000Z');
      for (const id of hidden) catalog.store.keeper.setHidden({ id, isHidden: true, act: BY_ADA });
      for (const filters of [{}, ...asked])
        expect(facetsOf(catalog, filters)).toEqual(counted(catalog.list({ filters, limit: 100 }).items));
    },
  );
  fc.assert(property, { seed: SEED, numRuns: sample(20, 100) });
});

test('facets over several blocks count each match once', () => {
  using catalog = openCatalog(quickStore);
  const count = BLOCK_SIZE + 3_000;
  const assets = Array.from({ length: count }, (_, nth) => (nth % 3 === 0 ? 'A1' : 'A2'));
  catalog.put(...assets.map((asset, nth) => ({ name: `n${nth}`, terms: { asset } })));
  for (const id of [1, 2, BLOCK_SIZE + 1])
    catalog.store.keeper.setHidden({ id, isHidden: true, act: BY_ADA });
  const shown = assets.filter((_, nth) => ![0, 1, BLOCK_SIZE].includes(nth));
  const ofFirst = shown.filter((asset) => asset === 'A1').length;
  expect(facetsOf(catalog)).toMatchObject({
    type: { http: shown.length },
    asset: { A1: ofFirst, A2: shown.length - ofFirst },
    verified: { false: shown.length },
  });
  expect(facetsOf(catalog, { asset: 'A1' })).toMatchObject({ asset: { A1: ofFirst } });
});
