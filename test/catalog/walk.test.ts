import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filters } from '../../src/catalog/requests.ts';
import { MAX_PAGE_SIZE } from '../../src/catalog/limits.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import { loadModel } from '../../src/catalog/meaning/index.ts';
import type { StoreOptions } from '../../src/catalog/sqlite/store.ts';
import { sample } from '../support/sample.ts';
import type { Draft } from './drafts.ts';
import { openCatalog, walk, type TestCatalog } from './openCatalog.ts';
import { createRandom } from './random.ts';
import { randomDraft } from './randomCatalog.ts';
import { quickStore, stores, type StoreKind } from './stores.ts';

const SEED = 20261126;

const described = (name: string, description: string): Draft => ({ name, description });

describe.each(stores)('a walk along cursors, kept by $name,', (kind) => {
  /** By their ranking: the shorter, the better. */
  const start = [
    described('a', 'sun'),
    described('b', 'sun x'),
    described('c', 'sun x x'),
    described('d', 'sun x x x'),
    described('e', 'sun x x x x'),
    described('none', 'moon'),
  ];

  test.each<[string, Draft[]]>([
    ['a listing is new and would come next', [described('new', 'sun sun')]],
    ['a shown listing would come again', [described('a', 'sun x x x x x x x x')]],
    ['a shown listing is no match any more', [described('a', 'moon')]],
    ['a listing that is due would have come before', [described('d', 'sun sun sun')]],
    ['a listing that is due would come later', [described('c', 'sun x x x x x x x x x')]],
    ['a listing that is due is no match any more', [described('c', 'moon')]],
    ['all that are due are no match any more', ['c', 'd', 'e'].map((name) => described(name, 'moon'))],
    ['a listing becomes a match', [described('none', 'sun x x')]],
    [
      'a listing is reworded several times',
      ['sun sun', 'moon', 'sun x x x x x x', 'sun'].map((text) => described('d', text)),
    ],
    ['a listing is reworded and back again', [described('d', 'moon'), described('d', 'sun x x x')]],
    ['a new listing is reworded', [described('new', 'moon'), described('new', 'sun')]],
    ['the word becomes common', Array.from({ length: 50 }, (_, at) => described(`new${at}`, 'sun'))],
    ['listings become longer', Array.from({ length: 50 }, (_, at) => described(`n${at}`, 'x '.repeat(90)))],
  ])('visits what it would have visited while %s', (_, meanwhile) => {
    for (const limit of [1, 2, 3]) {
      using catalog = openCatalog(kind);
      catalog.put(...start);
      const visited = walk(catalog, 'sun', { limits: [limit] }, (page) => {
        if (page === 1) catalog.put(...meanwhile);
      });
      expect(visited).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
  });

  test('that begins after the changes sees them', () => {
    using catalog = openCatalog(kind);
    catalog.put(
      ...start,
      described('d', 'sun sun sun'),
      described('a', 'moon'),
      described('none', 'sun x x'),
    );
    expect(walk(catalog, 'sun', { limits: [1] })).toEqual(['d', 'b', 'c', 'none', 'e']);
  });
});

const word = fc.constantFrom('sun', 'rain', 'wind', 'fog', 'hail', 'snow');
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
const settlement = fc
  .record({
    name: fc.constantFrom(...'abcdefghijklmnop'),
    serviceName: fc.oneof(fc.constant(''), word),
    description: text,
    network: fc.constantFrom('n1', 'n2'),
    payTo: fc.constantFrom('GA', 'GA', 'GA', 'GB'),
  })
  .map(({ network, payTo, ...draft }): Draft => ({ ...draft, terms: { network, payTo } }));
const story = fc.record({
  before: fc.array(settlement, { minLength: 5, maxLength: 40 }),
  between: fc.array(fc.array(settlement, { maxLength: 8 }), { maxLength: 12 }),
  query: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  limits: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  filters: fc.constantFrom<Filters>({}, {}, { network: 'n1' }, { payTo: 'GB' }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/**
 * That a walk visits what there was at its first page, each once and in that order, whatever is settled between its
 * pages. A listing that came under the filters meanwhile may be visited too: in its place or, by the hybrid ranking,
 * behind those that the first page has put in order.
 */
function expectSteady(kind: StoreKind, options: StoreOptions, told: Story): void {
  const { before, between, query, limits, filters } = told;
  using catalog = openCatalog(kind, options);
  const writer = kind.lasts ? catalog.connect() : catalog;
  catalog.put(...before);
  while (catalog.store.hybrid?.isBusy === true) catalog.store.hybrid.step();
  const ranking = catalog.found(query, { limit: MAX_PAGE_SIZE });
  const expected = new Set(catalog.found(query, { limit: MAX_PAGE_SIZE, filters }));
  const visited = walk(catalog, query, { filters, limits }, (page) => {
    writer.put(...(between[page - 1] ?? []));
  });
  expect(visited.filter((name) => expected.has(name))).toEqual([...expected]);
  expect(new Set(visited).size).toBe(visited.length);
  const inPlace = options.model === undefined ? visited : visited.filter((name) => expected.has(name));
  expect(inPlace).toEqual(ranking.filter((name) => inPlace.includes(name)));
  if (Object.keys(filters).length === 0) expect(visited).toEqual(ranking);
}

describe(`a walk is steady, whatever is settled between its pages (seed ${SEED}),`, () => {
  test.each(stores.map((kind) => ({ ...kind, runs: kind.lasts ? sample(5, 20) : sample(40, 200) })))(
    'kept by $name',
    ({ runs, ...kind }) => {
      fc.assert(
        fc.property(story, (told) => expectSteady(kind, {}, told)),
        { seed: SEED, numRuns: runs },
      );
    },
  );

  test('also by the hybrid ranking', async () => {
    const model = await loadModel('built-in');
    fc.assert(
      fc.property(story, (told) => expectSteady(quickStore, { model }, told)),
      { seed: SEED + 3, numRuns: sample(30, 300) },
    );
  });

  test('also where the retrieval cap leaves words or listings out', () => {
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: 30 }), (told, retrievalCap) =>
        expectSteady(quickStore, { retrievalCap }, told),
      ),
      { seed: SEED + 1, numRuns: sample(30, 150) },
    );
  });

  describe('also over several blocks of listings,', () => {
    const random = createRandom(SEED + 2);
    const vocabulary = 300;
    const drafts = sample(1_500, BLOCK_SIZE);
    const [groups, perGroup] = [sample(40, 150), 16];
    const words = (group: number): string[] => Array.from({ length: 6 }, (_, at) => `g${group}w${at}`);
    /** Each word of a group once, some more often, always as many words in all. */
    const member = (group: number): string => {
      const more = Array.from({ length: 3 }, () => random.pick(words(group).slice(random.below(3))));
      return [...words(group).slice(random.below(3)), ...more, 'x', 'x'].slice(0, 8).join(' ');
    };
    const members = (block: number): Draft[] =>
      Array.from({ length: groups * perGroup }, (_, at) =>
        described(`b${block}m${at}`, member(Math.floor(at / perGroup))),
      );
    const reworded = (): Draft => randomDraft(random, `r${random.below(drafts + 200)}`, vocabulary);
    let catalog: TestCatalog;

    beforeAll(() => {
      catalog = openCatalog(quickStore);
      catalog.put(described('first', 'sun sun'), described('third', 'sun x'), described('fourth', 'sun x x'));
      catalog.put(...members(0));
      catalog.put(...Array.from({ length: drafts }, (_, at) => randomDraft(random, `r${at}`, vocabulary)));
      catalog.put(...Array.from({ length: BLOCK_SIZE }, (_, at) => described(`n${at}`, 'y')));
      catalog.put(...members(1), described('second', 'sun'));
    }, 60_000);
    afterAll(() => catalog[Symbol.dispose]());

    test('while some of them are reworded', () => {
      for (const query of ['w0', 'w250', 'w0 w1 w200 w290']) {
        const limits = [MAX_PAGE_SIZE];
        const expected = walk(catalog, query, { limits });
        expect(expected.length).toBeGreaterThan(0);
        const visited = walk(catalog, query, { limits }, (page) => {
          if (page % 4 === 1) catalog.put(...Array.from({ length: 10 }, reworded));
        });
        expect(visited).toEqual(expected);
      }
    });

    test('for a listing that no longer matches, in a block that has no other match', () => {
      const visited = walk(catalog, 'sun', { limits: [1] }, (page) => {
        if (page === 1) catalog.put(described('second', 'moon'));
      });
      expect(visited).toEqual(['first', 'second', 'third', 'fourth']);
    });

    test('where scores of listings in different blocks are equal but for rounding', () => {
      for (let group = 0; group < groups; group += 1) {
        const query = words(group).join(' ');
        const expected = catalog.found(query, { limit: MAX_PAGE_SIZE });
        expect(expected.length).toBeGreaterThan(perGroup);
        expect(walk(catalog, query, { limits: [1, 2] }), query).toEqual(expected);
      }
    });
  });
});
