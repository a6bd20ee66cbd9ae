import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ListRequest, Sort } from '../../src/catalog/requests.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { sample } from '../support/sample.ts';
import { namesOf, urlOf, type Draft } from './drafts.ts';
import { openCatalog, type Connection } from './openCatalog.ts';
import { BY_ADA } from './sellers.ts';
import { quickStore, stores } from './stores.ts';

const SEED = 20261128;
const SORTS: Sort[] = ['lastUpdated', 'resource'];
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const MAX_PAGES = 1_000;

/** The pages of a walk to its end; `between` runs after each page but the last. */
function pagesOf(
  catalog: Pick<Connection, 'list'>,
  request: Partial<ListRequest>,
  between: (page: number) => void = () => {},
): DiscoveryListResponse[] {
  const pages: DiscoveryListResponse[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = catalog.list({ ...request, ...(cursor !== undefined && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(page.pagination.limit);
    pages.push(page);
    if (pages.length > MAX_PAGES) throw new Error('the walk does not end');
    cursor = page.pagination.cursor!;
    if (cursor !== null) between(pages.length);
  }
  return pages;
}

const walk = (...of: Parameters<typeof pagesOf>): string[] =>
  pagesOf(...of).flatMap(({ items }) => namesOf(items));

const DRAFTS: Draft[] = [
  { name: 'm', settledAt: at(3) },
  { name: 'z', settledAt: at(1) },
  { name: 'a', settledAt: at(2) },
  { name: 'a', toolName: 'two', settledAt: at(2) },
  { name: 'B', settledAt: at(9), terms: { network: 'other' } },
];

describe.each(stores)('a sorted list, kept by $name,', (kind) => {
  test.each<[Sort, string[]]>([
    ['lastUpdated', ['B', 'm', 'a', 'a', 'z']],
    ['resource', ['B', 'a', 'a', 'm', 'z']],
  ])('by %s has its order on pages of any size', (sort, names) => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    for (const limit of [1, 2, 3, 5, 100]) {
      const pages = pagesOf(catalog, { sort, limit });
      expect(pages.flatMap(({ items }) => namesOf(items))).toEqual(names);
      for (const { pagination } of pages) expect(pagination).toMatchObject({ limit, offset: 0, total: 5 });
    }
  });

  test.each(SORTS)('by %s leaves out what does not match, and what is hidden', (sort) => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    const filters = { network: 'stellar:testnet', type: 'http' };
    expect(walk(catalog, { sort, filters, limit: 1 }).sort()).toEqual(['a', 'm', 'z']);
    expect(walk(catalog, { sort, filters: { network: 'none such' } })).toEqual([]);
  });

  test('by lastUpdated puts first what was paid for again, and of a tie the newest', () => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS, { name: 'z', settledAt: at(20) }, { name: 'new', settledAt: at(20) });
    expect(walk(catalog, { sort: 'lastUpdated' })).toEqual(['new', 'z', 'B', 'm', 'a', 'a']);
  });
});

test.each(SORTS)(
  'a walk by %s visits what is paid for meanwhile at most once, and all others once',
  (sort) => {
    for (const late of ['n0', 'n4', 'n9']) {
      using catalog = openCatalog(quickStore);
      const drafts = Array.from({ length: 10 }, (_, nth) => ({ name: `n${nth}`, settledAt: at(nth % 4) }));
      catalog.put(...drafts);
      const visited = walk(catalog, { sort, limit: 3 }, (page) => {
        catalog.put({ name: late, settledAt: at(100 + page) });
      });
      expect(new Set(visited).size).toBe(visited.length);
      const others = drafts.map(({ name }) => name).filter((name) => name !== late);
      expect(visited.filter((name) => name !== late).sort()).toEqual(others);
    }
  },
);

describe.each(SORTS)('the cursor of a list by %s', (sort) => {
  test('is refused for another order, other filters, and as that of a search', () => {
    using catalog = openCatalog(quickStore);
    catalog.put(...DRAFTS);
    const cursor = catalog.list({ sort, limit: 1 }).pagination.cursor!;
    const other = SORTS.find((name) => name !== sort)!;
    for (const request of [
      { sort: other, cursor },
      { sort, cursor, filters: { type: 'http' } },
      { sort, cursor: `${cursor}A` },
      { sort, cursor: '' },
    ])
      expect(() => catalog.list(request)).toThrow('svc_invalid_search_cursor');
    expect(catalog.search('', { cursor })).toBeUndefined();
  });

  test('is not given without an order, and then ignored', () => {
    using catalog = openCatalog(quickStore);
    catalog.put(...DRAFTS);
    expect(catalog.list({ cursor: 'x' })).toEqual(catalog.list());
    expect(catalog.list().pagination).toEqual({ limit: 20, offset: 0, total: 5 });
  });
});

test('a walk by resource whose last listing was removed begins again; one whose last was hidden goes on', () => {
  using catalog = openCatalog(quickStore);
  catalog.put(...DRAFTS);
  const { cursor } = catalog.list({ sort: 'resource', limit: 2 }).pagination;
  catalog.store.keeper.setHidden({ id: 3, isHidden: true, act: BY_ADA });
  expect(namesOf(catalog.list({ sort: 'resource', cursor: cursor! }).items)).toEqual(['a', 'm', 'z']);
  catalog.store.keeper.remove({ id: 3, act: BY_ADA });
  expect(() => catalog.list({ sort: 'resource', cursor: cursor! })).toThrow('svc_invalid_search_cursor');
  expect(walk(catalog, { sort: 'resource', limit: 1 })).toEqual(['B', 'a', 'm', 'z']);
});

const settled = fc.record({
  name: fc.constantFrom(...'abcdefghijkl'),
  network: fc.constantFrom('n1', 'n2'),
  second: fc.nat({ max: 4 }),
});

test(`pages that go through few names are those of a plain sort (seed ${SEED})`, () => {
  const property = fc.property(
    fc.array(settled, { maxLength: 30 }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 4 }),
    fc.nat({ max: 5 }),
    (payments, limit, scannedNames, sortedAtOnce) => {
      using catalog = openCatalog(quickStore, { sortLimits: { scannedNames, sortedAtOnce } });
      for (const { name, second, network } of payments)
        catalog.put({ name, terms: { network }, settledAt: at(second) });
      if (payments.length > 3) catalog.store.keeper.setHidden({ id: 1, isHidden: true, act: BY_ADA });
      for (const filters of [{}, { network: 'n1' }, { resource: urlOf('a') }]) {
        const all = catalog.list({ filters, limit: 100 }).items;
        expect(walk(catalog, { sort: 'resource', filters, limit })).toEqual(namesOf(all).sort());
        const newest = [...all]
          .reverse()
          .sort((one, other) =>
            one.lastUpdated < other.lastUpdated ? 1 : other.lastUpdated < one.lastUpdated ? -1 : 0,
          );
        expect(walk(catalog, { sort: 'lastUpdated', filters, limit })).toEqual(namesOf(newest));
      }
    },
  );
  fc.assert(property, { seed: SEED, numRuns: sample(20, 100) });
});

test('walks over several blocks visit each match once, in order', () => {
  using catalog = openCatalog(quickStore);
  const count = BLOCK_SIZE + 3_000;
  const numbers = Array.from({ length: count }, (_, nth) => (nth * 7_919) % count);
  catalog.put(...numbers.map((second, nth) => ({ name: `n${nth}`, settledAt: at(second) })));
  const names = numbers.map((_, nth) => `n${nth}`);
  expect(walk(catalog, { sort: 'resource', limit: 100 })).toEqual(names.toSorted());
  const newest = names.toSorted(
    (one, other) => numbers[Number(other.slice(1))]! - numbers[Number(one.slice(1))]!,
  );
  expect(walk(catalog, { sort: 'lastUpdated', limit: 100 })).toEqual(newest);
});
