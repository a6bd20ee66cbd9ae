import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filters } from '../../src/catalog/requests.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import type { Draft } from './drafts.ts';
import {
  exhaustiveRanking,
  withoutRounding,
  type ExhaustiveRanking,
  type Ranked,
} from './exhaustiveRanking.ts';
import { openCatalog, walk, type Connection, type TestCatalog } from './openCatalog.ts';
import { createRandom, type Random } from './random.ts';
import { randomDraft, randomQuery, textsOf } from './randomCatalog.ts';
import { quickStore } from './stores.ts';
import { sample } from '../support/sample.ts';

const SEED = 20261124;

const numberOf = (name: string): number => Number(name);

/** Filters, and what they leave of the listings. */
interface Filter {
  readonly filters: Filters;
  matches(listing: number): boolean;
}

/** A catalog and its exhaustive ranking; the listings are named 1, 2 and so on. */
interface Pair {
  readonly catalog: Connection;
  readonly ranking: ExhaustiveRanking;
}

function put({ catalog, ranking }: Pair, drafts: readonly Draft[]): void {
  catalog.put(...drafts);
  for (const draft of drafts) ranking.set(numberOf(draft.name), textsOf(draft));
}

/** That a walk through all results of a query is what the exhaustive ranking has of the listings that match. */
function expectRanking(
  { catalog, ranking }: Pair,
  words: readonly string[],
  limits: readonly number[],
  { filters, matches }: Filter = unfiltered,
): Ranked[] {
  const found = walk(catalog, words.join(' '), { filters, limits }).map(numberOf);
  const ranked = ranking.rank(words).filter(({ listing }) => matches(listing));
  const expected = ranked.map(({ listing }) => listing);
  expect(withoutRounding(found, ranked), words.join(' ')).toEqual(withoutRounding(expected, ranked));
  return ranked;
}

const unfiltered: Filter = { filters: {}, matches: () => true };
const randomLimits = (random: Random, limit: number): number[] =>
  Array.from({ length: 5 }, () => 1 + random.below(limit));

const termsOf = (listing: number) => ({ network: `n:${listing % 3}`, payTo: `G${listing % 2}` });
const filtered: readonly Filter[] = [
  { filters: { network: 'n:1' }, matches: (listing: number) => listing % 3 === 1 },
  { filters: { network: 'n:2', payTo: 'G0' }, matches: (listing: number) => listing % 6 === 2 },
];

test(`any catalog ranks as SQLite's FTS5 by bm25(4, 3, 2, 1) over the words with OR (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  for (let run = 0; run < 25; run++) {
    using catalog = openCatalog(quickStore);
    using ranking = exhaustiveRanking();
    const pair = { catalog, ranking };
    const vocabulary = 3 + random.below(40);
    const count = 1 + random.below(60);
    const draft = (at: number) => randomDraft(random, `${at + 1}`, vocabulary, termsOf(at + 1));
    put(
      pair,
      Array.from({ length: count }, (_, at) => draft(at)),
    );
    for (let round = 0; round < 2; round++) {
      for (let query = 0; query < 8; query++) {
        const words = randomQuery(random, 5, vocabulary);
        for (const filter of [unfiltered, ...filtered]) {
          expectRanking(pair, words, randomLimits(random, 10), filter);
        }
      }
      // Once more with some of the listings reworded.
      put(
        pair,
        Array.from({ length: count }, (_, at) => draft(at)).filter(() => random.below(3) === 0),
      );
    }
  }
});

describe(`over several blocks of listings (seed ${SEED})`, () => {
  const COUNT = BLOCK_SIZE + sample(500, 2_500);
  const VOCABULARY = 3_000;
  const random = createRandom(SEED + 1);
  let catalog: TestCatalog;
  let ranking: ExhaustiveRanking;

  beforeAll(() => {
    [catalog, ranking] = [openCatalog(quickStore), exhaustiveRanking()];
    const drafts = Array.from({ length: COUNT }, (_, at) =>
      randomDraft(random, `${at + 1}`, VOCABULARY, termsOf(at + 1)),
    );
    const middle = BLOCK_SIZE + 100;
    put({ catalog, ranking }, drafts.slice(0, middle));
    put({ catalog, ranking }, drafts.slice(middle));
  }, 60_000);
  afterAll(() => {
    catalog[Symbol.dispose]();
    ranking[Symbol.dispose]();
  });

  /** That the first pages are the exhaustive ranking's. */
  function expectFirstPages(words: readonly string[], filter: Filter = unfiltered): void {
    const ranked = ranking.rank(words).filter(({ listing }) => filter.matches(listing));
    const found: number[] = [];
    let cursor: string | undefined;
    const limit = 1 + random.below(30);
    for (let page = 0; page < 4; page++) {
      const { filters } = filter;
      const answer = catalog.search(words.join(' '), { filters, limit, ...(cursor && { cursor }) })!;
      found.push(...answer.resources.map(({ resource }) => numberOf(resource.split('/').at(-1)!)));
      if (answer.pagination.cursor === null) break;
      cursor = answer.pagination.cursor;
    }
    const expected = ranked.slice(0, found.length).map(({ listing }) => listing);
    expect(withoutRounding(found, ranked), words.join(' ')).toEqual(withoutRounding(expected, ranked));
    expect(found.length).toBe(Math.min(4 * limit, ranked.length));
  }

  test.each<[string, () => string[]]>([
    ['a common word', () => [`w${random.below(5)}`]],
    ['a rare word', () => [`w${1_000 + random.below(2_000)}`]],
    ['common words', () => ['w0', 'w1', `w${2 + random.below(5)}`]],
    ['a rare word among common ones', () => ['w0', 'w1', 'w2', `w${1_000 + random.below(2_000)}`]],
    ['any words', () => randomQuery(random, 12, VOCABULARY)],
  ])('the first pages for %s are those of the exhaustive ranking', (_, words) => {
    for (let query = 0; query < 12; query++) {
      const filter = random.pick([unfiltered, ...filtered]);
      expectFirstPages(words(), filter);
    }
  });

  test('a walk through all results is the exhaustive ranking', () => {
    const ranked = expectRanking({ catalog, ranking }, ['w0', 'w3', 'w1500'], [100, 99, 1]);
    expect(ranked.length).toBeGreaterThan(BLOCK_SIZE / 2);
    expectRanking({ catalog, ranking }, ['w40', 'w41', 'w42'], [97, 100], filtered[0]);
  });
});
