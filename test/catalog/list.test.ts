import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filters } from '../../src/catalog/requests.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import { sample } from '../support/sample.ts';
import { FIRST_SETTLED_AT, namesOf, TERMS, type Draft } from './drafts.ts';
import { openCatalog, type Connection, type TestCatalog } from './openCatalog.ts';
import { quickStore, stores } from './stores.ts';

const SEED = 20261123;

/** The names on a page, and how many match in all. */
function listed({ list }: Connection, filters: Filters, page: { offset?: number; limit?: number } = {}) {
  const { items, pagination } = list({ filters, ...page });
  return { names: namesOf(items), total: pagination.total };
}

const named = (...names: string[]): Draft[] => names.map((name) => ({ name }));
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `n${at}`);

describe.each(stores)('the list, kept by $name,', (kind) => {
  test('of an empty catalog is empty', () => {
    using catalog = openCatalog(kind);
    expect(catalog.list()).toEqual({
      x402Version: 2,
      items: [],
      pagination: { limit: 20, offset: 0, total: 0 },
    });
  });

  describe('has the order in which the listings were made,', () => {
    test('whatever their names', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named('m', 'z', 'a'));
      catalog.put(...named('b'));
      expect(listed(catalog, {})).toEqual({ names: ['m', 'z', 'a', 'b'], total: 4 });
    });

    test('which a refresh does not change', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named('m', 'z', 'a'));
      const settledAt = new Date(FIRST_SETTLED_AT.getTime() + 1_000);
      catalog.put({ name: 'z', description: 'changed', terms: { amount: '7' }, settledAt });
      expect(listed(catalog, {}).names).toEqual(['m', 'z', 'a']);
      expect(listed(catalog, { type: 'http' }).names).toEqual(['m', 'z', 'a']);
    });

    test('so that new listings move none of the pages before them', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named(...numbered(7)));
      const first = listed(catalog, { scheme: 'exact' }, { limit: 3 });
      catalog.put(...named('later'));
      expect(listed(catalog, { scheme: 'exact' }, { limit: 3 }).names).toEqual(first.names);
      expect(listed(catalog, { scheme: 'exact' }, { offset: 6 }).names).toEqual(['n6', 'later']);
    });
  });

  describe('has pages', () => {
    test('of 20 listings unless asked for otherwise, of 1 to 100 whatever is asked for', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named(...numbered(105)));
      for (const [asked, served] of [
        [undefined, 20],
        [0, 1],
        [1, 1],
        [99, 99],
        [100, 100],
        [101, 100],
        [Number.MAX_SAFE_INTEGER, 100],
      ] as const) {
        const { items, pagination } = catalog.list({ limit: asked });
        expect(namesOf(items)).toEqual(numbered(served));
        expect(pagination).toEqual({ limit: served, offset: 0, total: 105 });
      }
    });

    test('that start at the offset; beyond the end they are empty and tell the total', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named(...numbered(5)));
      for (const filters of [{}, { type: 'http' }]) {
        expect(listed(catalog, filters, { offset: 3, limit: 2 })).toEqual({ names: ['n3', 'n4'], total: 5 });
        expect(listed(catalog, filters, { offset: 4, limit: 2 })).toEqual({ names: ['n4'], total: 5 });
        for (const offset of [5, 6, BLOCK_SIZE, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
          expect(listed(catalog, filters, { offset })).toEqual({ names: [], total: 5 });
          expect(catalog.list({ filters, offset }).pagination.offset).toBe(offset);
        }
      }
    });
  });

  describe('is filtered', () => {
    const drafts: Draft[] = [
      { name: 'plain' },
      { name: 'tool', toolName: 'run', terms: { payTo: 'GB', network: 'stellar:pubnet' } },
      { name: 'elsewhere', terms: { scheme: 'upto', network: 'eip155:8453', payTo: 'GB' } },
    ];

    test.each<[Filters, string[]]>([
      [{ type: 'http' }, ['plain', 'elsewhere']],
      [{ type: 'mcp' }, ['tool']],
      [{ payTo: 'GB' }, ['tool', 'elsewhere']],
      [{ scheme: 'exact' }, ['plain', 'tool']],
      [{ network: 'eip155:8453' }, ['elsewhere']],
      [{ extensions: 'bazaar' }, ['plain', 'tool', 'elsewhere']],
    ])('by %j', (filters, names) => {
      using catalog = openCatalog(kind);
      catalog.put(...drafts);
      expect(listed(catalog, filters)).toEqual({ names, total: names.length });
    });

    test('by all filters together: each must hold', () => {
      using catalog = openCatalog(kind);
      catalog.put(...drafts);
      const all = {
        type: 'http',
        payTo: 'GB',
        scheme: 'upto',
        network: 'eip155:8453',
        extensions: 'bazaar',
      };
      expect(listed(catalog, all)).toEqual({ names: ['elsewhere'], total: 1 });
      for (const other of [
        { type: 'mcp' },
        { payTo: TERMS.payTo },
        { scheme: 'exact' },
        { network: 'stellar:testnet' },
        { extensions: 'payment-identifier' },
      ]) {
        expect(listed(catalog, { ...all, ...other })).toEqual({ names: [], total: 0 });
      }
    });

    test.each<Filters>([
      { type: 'HTTP' },
      { type: 'websocket' },
      { payTo: 'G' },
      { scheme: 'exac' },
      { network: 'stellar:*' },
      { network: '!!!' },
      { extensions: 'Bazaar' },
      { extensions: 'bazaar,bazaar' },
      { type: '' },
      { extensions: '' },
      { network: 'all' },
      { network: 'none' },
      { network: '\ud800' },
    ])('by exact text: %j matches nothing', (filters) => {
      using catalog = openCatalog(kind);
      catalog.put(...drafts);
      expect(listed(catalog, filters)).toEqual({ names: [], total: 0 });
    });

    test('by terms within one entry of accepts', () => {
      using catalog = openCatalog(kind);
      catalog.put(
        { name: 'mixed', terms: { network: 'stellar:testnet', scheme: 'upto' } },
        { name: 'mixed', terms: { network: 'stellar:pubnet', scheme: 'exact' } },
      );
      const matches = (filters: Filters) => listed(catalog, filters).total;
      expect(matches({ network: 'stellar:testnet' })).toBe(1);
      expect(matches({ network: 'stellar:pubnet' })).toBe(1);
      expect(matches({ network: 'stellar:testnet', scheme: 'upto' })).toBe(1);
      expect(matches({ network: 'stellar:pubnet', scheme: 'exact' })).toBe(1);
      expect(matches({ network: 'stellar:testnet', scheme: 'exact' })).toBe(0);
      expect(matches({ network: 'stellar:pubnet', scheme: 'upto' })).toBe(0);
      expect(matches({ network: 'stellar:pubnet', scheme: 'upto', payTo: TERMS.payTo })).toBe(0);
    });

    test('by terms that a refresh added, from then on, and counts the listing once', () => {
      using catalog = openCatalog(kind);
      catalog.put(...named('a', 'b'));
      expect(listed(catalog, { network: 'stellar:pubnet' }).total).toBe(0);
      for (const amount of ['1', '2']) {
        catalog.put({ name: 'b', terms: { network: 'stellar:pubnet', amount } });
      }
      expect(listed(catalog, { network: 'stellar:pubnet' })).toEqual({ names: ['b'], total: 1 });
      expect(listed(catalog, { type: 'http' })).toEqual({ names: ['a', 'b'], total: 2 });
    });
  });
});

/** What a listing must match by: kept aside, in the order in which the listings were made. */
interface Known {
  readonly name: string;
  readonly type: string;
  readonly payTo: string;
  readonly terms: { scheme: string; network: string; payTo: string }[];
}

const one = <T>(...choices: T[]): fc.Arbitrary<T> => fc.constantFrom(...choices);
const settlements = fc.array(
  fc.record({
    name: one(...'abcdefgh'),
    toolName: one(undefined, undefined, 't'),
    scheme: one('exact', 'upto'),
    network: one('n1', 'n2'),
    payTo: one('GA', 'GA', 'GB'),
  }),
  { maxLength: 40 },
);
const filterChoices: Filters[] = [undefined, 'http', 'mcp'].flatMap((type) =>
  [undefined, 'GA', 'GB'].flatMap((payTo) =>
    [undefined, 'exact', 'upto'].flatMap((scheme) =>
      [undefined, 'n1', 'n2'].flatMap((network) =>
        [undefined, 'bazaar', 'other'].map((extensions) => ({ type, payTo, scheme, network, extensions })),
      ),
    ),
  ),
);

function matches({ type, terms }: Known, filters: Filters): boolean {
  const isOrAbsent = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value;
  return (
    isOrAbsent(filters.type, type) &&
    isOrAbsent(filters.extensions, 'bazaar') &&
    terms.some(
      ({ scheme, network, payTo }) =>
        isOrAbsent(filters.scheme, scheme) &&
        isOrAbsent(filters.network, network) &&
        isOrAbsent(filters.payTo, payTo),
    )
  );
}

test(`any catalog lists under any filters what a plain search through it finds (seed ${SEED})`, () => {
  fc.assert(
    fc.property(settlements, fc.nat(8), fc.integer({ min: 1, max: 9 }), (settled, offset, limit) => {
      using catalog = openCatalog(quickStore);
      const known: Known[] = [];
      for (const { name, toolName, ...terms } of settled) {
        const type = toolName === undefined ? 'http' : 'mcp';
        catalog.put({ name, ...(toolName && { toolName }), terms });
        const before = known.find((listing) => listing.name === name && listing.type === type);
        if (before === undefined) known.push({ name, type, payTo: terms.payTo, terms: [terms] });
        else if (before.payTo === terms.payTo) before.terms.push(terms);
      }
      for (const filters of filterChoices) {
        const all = known.filter((listing) => matches(listing, filters)).map(({ name }) => name);
        expect(listed(catalog, filters, { offset, limit })).toEqual({
          names: all.slice(offset, offset + limit),
          total: all.length,
        });
      }
    }),
    { seed: SEED, numRuns: 30 },
  );
});

describe('over several blocks of listings', () => {
  const FULL_BLOCKS = sample(1, 2);
  const COUNT = FULL_BLOCKS * BLOCK_SIZE + 50;
  /** So many places of a block are kept as a list; one more makes it a bitmap. */
  const LISTED_PLACES = BLOCK_SIZE / 16 - 1;
  const networks: Record<string, (at: number) => boolean> = {
    'few:0': (at) => at % 1_000 === 3,
    'eighth:0': (at) => at % 8 === 1,
    'last:0': (at) => at >= FULL_BLOCKS * BLOCK_SIZE,
    'edges:0': (at) => [0, BLOCK_SIZE - 1].includes((at + 1) % BLOCK_SIZE),
    'listed:0': (at) => at % 16 === 5 && at < 16 * LISTED_PLACES,
    'mapped:0': (at) => at % 16 === 5 && at < 16 * (LISTED_PLACES + 1),
  };
  let catalog: TestCatalog;

  // Backwards through the networks in transactions of their own: places come into the blocks in no order.
  beforeAll(() => {
    catalog = openCatalog(quickStore);
    catalog.put(...Array.from({ length: COUNT }, (_, at) => ({ name: `n${at}` })));
    for (const [network, has] of Object.entries(networks)) {
      const members = numbered(COUNT).filter((_, at) => has(at));
      for (const name of [members.filter((_, at) => at % 3 === 0).reverse(), members]) {
        catalog.put(...name.map((member) => ({ name: member, terms: { network } })));
      }
    }
  }, 60_000);
  afterAll(() => catalog[Symbol.dispose]());

  test.each(Object.entries(networks))('the pages of %s are those of a plain search', (network, has) => {
    const all = numbered(COUNT).filter((_, at) => has(at));
    const offsets = [0, 1, 99, all.length >> 1, all.length - 100, all.length - 1, all.length];
    for (const offset of offsets.filter((at) => at >= 0)) {
      for (const limit of [1, 100]) {
        expect(listed(catalog, { network }, { offset, limit })).toEqual({
          names: all.slice(offset, offset + limit),
          total: all.length,
        });
      }
    }
  });

  test('pages put together are the whole, each listing once', () => {
    const network = 'eighth:0';
    const names: string[] = [];
    for (let offset = 0; offset < COUNT; offset += 100) {
      names.push(...listed(catalog, { network }, { offset, limit: 100 }).names);
    }
    expect(names).toEqual(numbered(COUNT).filter((_, at) => networks[network]!(at)));
  });

  test('a page deep in the catalog without filters starts at its offset', () => {
    const offset = FULL_BLOCKS * BLOCK_SIZE - 1;
    expect(listed(catalog, {}, { offset, limit: 3 })).toEqual({
      names: [`n${offset}`, `n${offset + 1}`, `n${offset + 2}`],
      total: COUNT,
    });
  });
});
