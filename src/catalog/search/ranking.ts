// Okapi BM25 over weighted fields, with the constants and the minimum idf of SQLite's FTS5. Its `bm25()` over the same
// words is the exhaustive ranking that this one must equal.

const K1 = 1.2;
const B = 0.75;
/** The idf of a word that occurs in half of all listings or more. */
const LEAST_IDF = 1e-6;

/** The numbers of the catalog that a ranking depends on. */
export interface Collection {
  /** Number of listings. */
  readonly listings: number;
  /** Number of words in all of them together. */
  readonly tokens: number;
}

/** Returns the weight of a word that occurs in `matches` of the listings. */
export function idf({ listings }: Collection, matches: number): number {
  const weight = Math.log((listings - matches + 0.5) / (matches + 0.5));
  return weight > 0 ? weight : LEAST_IDF;
}

/** A word adds less than this many times its idf to a score. */
export const SATURATION = K1 + 1;

/** Relates a listing's length to the score of a word. */
export interface LengthNorm {
  readonly base: number;
  readonly slope: number;
}

export function lengthNorm({ listings, tokens }: Collection): LengthNorm {
  const averageLength = tokens / listings;
  return { base: K1 * (1 - B), slope: averageLength > 0 ? (K1 * B) / averageLength : 0 };
}

/** Returns what a word adds to the score of a listing that contains it `frequency` times (weighted). */
export function wordScore(
  idf: number,
  frequency: number,
  length: number,
  { base, slope }: LengthNorm,
): number {
  return idf * ((frequency * SATURATION) / (frequency + base + slope * length));
}

/** Taken from the score of an imported listing: more than any score, so that it comes after all that were paid for. */
export const BEHIND_PAID = 1_000_000;
