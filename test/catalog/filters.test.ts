import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Filters } from '../../src/catalog/requests.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import { sample } from '../support/sample.ts';
import { namesOf, TERMS, urlOf, type Draft } from './drafts.ts';
import { openCatalog, walk, type Connection } from './openCatalog.ts';
import { BY_ADA } from './sellers.ts';
import { quickStore, stores } from './stores.ts';

const SEED = 20261127;
const [USDC, EURC] = ['CUSDC', 'CEURC'];
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const DRAFTS: Draft[] = [
  { name: 'page', description: 'sun', terms: { asset: USDC, amount: '100' }, settledAt: at(1) },
  {
    name: 'page',
    toolName: 'one',
    description: 'sun',
    terms: { asset: EURC, amount: '5' },
    settledAt: at(2),
  },
  {
    name: 'page',
    toolName: 'two',
    description: 'sun',
    terms: { asset: USDC, amount: '7' },
    settledAt: at(3),
  },
  { name: 'other', description: 'sun', terms: { asset: USDC, amount: '9007199254740993' }, settledAt: at(4) },
];
const [PAGE, ONE, TWO, OTHER] = ['page', 'page one', 'page two', 'other'];

/** What the list and a search find, which must be the same, in the order of the list. */
function matching(catalog: Connection, filters: Filters): string[] {
  const { items, pagination } = catalog.list({ filters, limit: 100 });
  expect(pagination.total).toBe(items.length);
  const found = catalog.search('sun', { filters, limit: 100 })!.resources;
  const keys = items.map(keyOf);
  expect(found.map(keyOf).sort()).toEqual(keys.toSorted());
  return keys;
}

function keyOf(item: { resource: string; extensions?: unknown }): string {
  const { info } = (item.extensions as { bazaar: { info: { input: { toolName?: string } } } }).bazaar;
  return [...namesOf([item]), info.input.toolName ?? []].flat().join(' ');
}

describe.each(stores)('the list and the search, kept by $name,', (kind) => {
  test.each<[Filters, string[]]>([
    [{ resource: urlOf('page') }, [PAGE, ONE, TWO]],
    [{ resource: urlOf('page'), type: 'http' }, [PAGE]],
    [{ resource: `${urlOf('page')}/` }, []],
    [{ resource: `${urlOf('page')}?x=1` }, []],
    [{ resource: '' }, []],
    [{ asset: USDC }, [PAGE, TWO, OTHER]],
    [{ asset: EURC }, [ONE]],
    [{ asset: USDC, type: 'mcp' }, [TWO]],
    [{ asset: USDC, network: TERMS.network, scheme: 'exact' }, [PAGE, TWO, OTHER]],
    [{ asset: USDC, network: 'stellar:pubnet' }, []],
    [{ asset: 'CUSD' }, []],
    [{ asset: 'cusdc' }, []],
    [{ asset: '' }, []],
    [{ asset: '"' }, []],
    [{ asset: USDC, maxAmount: '7' }, [TWO]],
    [{ asset: USDC, maxAmount: '6' }, []],
    [{ asset: USDC, maxAmount: '007' }, [TWO]],
    [{ asset: USDC, maxAmount: '100' }, [PAGE, TWO]],
    [{ asset: USDC, maxAmount: '9'.repeat(39) }, [PAGE, TWO, OTHER]],
    [{ asset: EURC, maxAmount: '4' }, []],
    [{ updatedSince: at(3).toISOString() }, [TWO, OTHER]],
    [{ updatedSince: '2026-01-01T01:00:03+01:00' }, [TWO, OTHER]],
    [{ updatedSince: '2026-01-01T00:00:03.001Z' }, [OTHER]],
    [{ updatedSince: at(5).toISOString() }, []],
    [{ resource: urlOf('page'), asset: USDC, maxAmount: '100', updatedSince: at(2).toISOString() }, [TWO]],
    [{ asset: USDC, extensions: 'bazaar' }, [PAGE, TWO, OTHER]],
    [{ asset: USDC, extensions: 'another' }, []],
  ])('are filtered by %j', (filters, names) => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    expect(matching(catalog, filters)).toEqual(names);
  });

  test('look for asset, price, scheme and network within one entry of accepts', () => {
    using catalog = openCatalog(kind);
    const mixed = { name: 'mixed', description: 'sun' };
    catalog.put(
      { ...mixed, terms: { asset: USDC, amount: '50', network: 'n1' } },
      { ...mixed, terms: { asset: USDC, amount: '90', network: 'n2' } },
      { ...mixed, terms: { asset: EURC, amount: '5', network: 'n3' } },
    );
    const isFound = (filters: Filters) => matching(catalog, filters).length === 1;
    expect(isFound({ asset: USDC, maxAmount: '50', network: 'n1' })).toBe(true);
    expect(isFound({ asset: USDC, maxAmount: '89', network: 'n2' })).toBe(false);
    expect(isFound({ asset: USDC, maxAmount: '89' })).toBe(true);
    expect(isFound({ asset: USDC, network: 'n3' })).toBe(false);
    expect(isFound({ asset: USDC, maxAmount: '49' })).toBe(false);
  });

  test('see what a refresh changes', () => {
    using catalog = openCatalog(kind);
    catalog.put(...DRAFTS);
    catalog.put({ ...DRAFTS[0]!, terms: { asset: EURC, amount: '3' }, settledAt: at(9) });
    expect(matching(catalog, { asset: EURC, maxAmount: '4' })).toEqual([PAGE]);
    expect(matching(catalog, { asset: USDC, maxAmount: '100' })).toEqual([PAGE, TWO]);
    expect(matching(catalog, { updatedSince: at(5).toISOString() })).toEqual([PAGE]);
  });
});

describe('a listing that the operator took away is not counted', () => {
  test.each(['hidden', 'removed'])('when it is %s', (how) => {
    using catalog = openCatalog(quickStore);
    catalog.put(...DRAFTS);
    if (how === 'hidden') catalog.store.keeper.setHidden({ id: 1, isHidden: true, act: BY_ADA });
    else catalog.store.keeper.remove({ id: 1, act: BY_ADA });
    expect(matching(catalog, { asset: USDC, maxAmount: '100' })).toEqual([TWO]);
    expect(matching(catalog, { resource: urlOf('page') })).toEqual([ONE, TWO]);
    expect(matching(catalog, { updatedSince: at(0).toISOString() })).toEqual([ONE, TWO, OTHER]);
  });
});

test('a walk along cursors visits a listing that begins to match at most once, and all others once', () => {
  for (const late of ['n0', 'n4', 'n9']) {
    using catalog = openCatalog(quickStore);
    const drafts = Array.from({ length: 10 }, (_, nth) => ({
      name: `n${nth}`,
      description: `sun${' x'.repeat(nth)}`,
      settledAt: at(`n${nth}` === late ? 1 : 5),
    }));
    catalog.put(...drafts);
    const filters = { updatedSince: at(3).toISOString() };
    const visited = walk(catalog, 'sun', { limits: [3], filters }, (page) => {
      if (page === 1) catalog.put(...drafts.map((draft) => ({ ...draft, settledAt: at(7) })));
    });
    const others = drafts.map(({ name }) => name).filter((name) => name !== late);
    expect(visited.filter((name) => name !== late)).toEqual(others);
    expect(new Set(visited).size).toBe(visited.length);
  }
});

const one = <T>(...choices: T[]): fc.Arbitrary<T> => fc.constantFrom(...choices);
const settled = fc.record({
  name: one(...'abcdefgh'),
  asset: one(USDC, EURC),
  amount: one('1', '2', '3'),
  network: one('n1', 'n2'),
  second: fc.nat({ max: 4 }),
});
const filtersOf = fc.record(
  {
    resource: one(urlOf('a'), urlOf('b')),
    asset: one(USDC, EURC, 'CNONE'),
    network: one('n1', 'n2', 'n3'),
    updatedSince: one(at(1).toISOString(), at(3).toISOString()),
  },
  { requiredKeys: [] },
);

test(`any catalog finds under any of the filters what a plain search through it finds (seed ${SEED})`, () => {
  const property = fc.property(
    fc.array(settled, { maxLength: 30 }),
    fc.array(fc.tuple(filtersOf, one(undefined, '1', '2')), { minLength: 20, maxLength: 20 }),
    (payments, asked) => {
      using catalog = openCatalog(quickStore);
      for (const { name, second, ...terms } of payments)
        catalog.put({ name, description: 'sun', terms, settledAt: at(second) });
      const all = catalog.list({ limit: 100 }).items;
      for (const [given, max] of asked) {
        const filters = {
          ...given,
          ...(given.asset !== undefined && max !== undefined && { maxAmount: max }),
        };
        const expected = all.filter(
          ({ resource, accepts, lastUpdated }) =>
            (filters.resource ?? resource) === resource &&
            lastUpdated >= (filters.updatedSince ?? '') &&
            accepts.some(
              ({ asset, network, amount }) =>
                (filters.asset ?? asset) === asset &&
                (filters.network ?? network) === network &&
                Number(amount) <= Number(filters.maxAmount ?? Infinity),
            ),
        );
        expect(matching(catalog, filters)).toEqual(namesOf(expected));
      }
    },
  );
  fc.assert(property, { seed: SEED, numRuns: sample(20, 100) });
});

test('pages over several blocks are those of a plain search', () => {
  using catalog = openCatalog(quickStore);
  const count = BLOCK_SIZE + 3_000;
  catalog.put(
    ...Array.from({ length: count }, (_, nth) => ({
      name: `n${nth}`,
      terms: { asset: nth % 3 === 0 ? EURC : USDC, amount: String(nth) },
      settledAt: at(nth % 50),
    })),
  );
  const filters = { asset: USDC, maxAmount: String(count - 1_000), updatedSince: at(10).toISOString() };
  const all = Array.from({ length: count - 999 }, (_, nth) => nth)
    .filter((nth) => nth % 3 !== 0 && nth % 50 >= 10)
    .map((nth) => `n${nth}`);
  for (const offset of [0, 1, all.length >> 1, all.length - 50, all.length]) {
    const { items, pagination } = catalog.list({ filters, offset, limit: 100 });
    expect(namesOf(items)).toEqual(all.slice(offset, offset + 100));
    expect(pagination.total).toBe(all.length);
  }
});
