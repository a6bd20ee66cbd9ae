import { CONTENT_PER_LISTING } from './listings.ts';
import { between, createRandom, filler, logBetween, rankFor, wordAt, type Random } from './words.ts';

export interface QueryKind {
  readonly name: string;
  readonly queries: readonly string[];
}

export const QUERIES_OF_EACH_KIND = 100;
/** Apart from every listing's stream. */
const QUERY_STREAM = -1;
const RARE_MATCHES = [1, 50] as const;
/** Ranks of words that stand in about 9 % down to 0.1 % of all listings. */
const ORDINARY_RANKS = [10, 2_000] as const;

/** `count` queries of each kind, for a catalog of `listings`. */
export function queryKinds(seed: number, listings: number, count: number): QueryKind[] {
  const random = createRandom(seed, QUERY_STREAM);
  const rare = (): string =>
    wordAt(rankFor(logBetween(random, ...RARE_MATCHES), listings, CONTENT_PER_LISTING));
  const ordinary = (): string => wordAt(Math.floor(logBetween(random, ...ORDINARY_RANKS)));
  const kinds: Record<string, () => string[]> = {
    'rare words': () => several(between(random, 1, 2), rare),
    'ordinary words': () => several(between(random, 1, 3), ordinary),
    'one very common word': () => [filler(random)],
    question: () => question(random, () => (random() < 0.25 ? rare() : ordinary())),
  };
  return Object.entries(kinds).map(([name, words]) => ({
    name,
    queries: Array.from({ length: count }, () => words().join(' ')),
  }));
}

/** As people and agents ask: 8 to 14 words, of which 2 to 4 say something. */
function question(random: Random, word: () => string): string[] {
  const telling = several(between(random, 2, 4), word);
  const asked = several(between(random, 8, 14) - telling.length, () => filler(random));
  for (const one of telling) asked.splice(between(random, 0, asked.length), 0, one);
  return asked;
}

/** Different words. */
function several(count: number, word: () => string): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(word());
  return [...words];
}
