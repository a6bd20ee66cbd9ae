// Okapi BM25 over weighted fields, with the constants and the floor of SQLite's FTS5: its `bm25()` over the same
// words is the exhaustive ranking that this one must equal.

const K1 = 1.2;
const B = 0.75;
/** What a word counts that stands in half of all listings or more. */
const LEAST_IDF = 1e-6;

/** What of the catalog a ranking depends on. */
export interface Collection {
  /** Number of listings. */
  readonly listings: number;
  /** Words in all of them together. */
  readonly tokens: number;
}

/** How much a word says that stands in `matches` of the listings. */
export function idf({ listings }: Collection, matches: number): number {
  const weight = Math.log((listings - matches + 0.5) / (matches + 0.5));
  return weight > 0 ? weight : LEAST_IDF;
}

/** A word's part of the score is below this many times its idf. */
export const SATURATION = K1 + 1;

/** With what a listing's length enters the score of a word. */
export interface LengthNorm {
  readonly base: number;
  readonly slope: number;
}

export function lengthNorm({ listings, tokens }: Collection): LengthNorm {
  const averageLength = tokens / listings;
  return { base: K1 * (1 - B), slope: averageLength > 0 ? (K1 * B) / averageLength : 0 };
}

/** What a word of this idf adds to a score that occurs `frequency` times (weighted) in a listing of `length` words. */
export function wordScore(
  idf: number,
  frequency: number,
  length: number,
  { base, slope }: LengthNorm,
): number {
  return idf * ((frequency * SATURATION) / (frequency + base + slope * length));
}
