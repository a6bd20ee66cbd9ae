import { lengthNorm, SATURATION } from '../search/ranking.ts';
import type { Snapshot } from './cursor.ts';
import { QUALITY_STEPS, type HybridIndex } from './hybridIndex.ts';
import { roomFor } from './numbers.ts';
import { VECTOR_LENGTH } from '../meaning/index.ts';

/** Share of the words in a score; the rest is meaning. */
const WORDS_SHARE = 0.45;
/** A text that is less similar to the question than this has nothing to do with it. */
const LEAST_SIMILARITY = 0.25;
/** Similarities below this say nothing: any two texts are that similar. */
const NO_SIMILARITY = 0.15;

/** What a question scores in each slot, before the two halves are put together. */
export interface Halves {
  /** BM25 of the words. */
  readonly words: Float32Array;
  /** Products of the vectors. */
  readonly products: Int32Array;
}

/** Returns the function that gives the two halves of the scores. Their arrays are valid until the next call. */
export function createHalves(index: HybridIndex): (snapshot: Snapshot) => Halves {
  let words = new Float32Array();
  return ({ terms, meanLength, vector }) => {
    const { segments, vocabulary, vectors } = index;
    if (words.length < segments.slots) words = new Float32Array(roomFor(segments.slots));
    else words.fill(0);
    const norm = lengthNorm({ listings: 1, tokens: meanLength });
    for (const { term, weight } of terms) {
      const id = vocabulary.idOf(term);
      if (id !== undefined) segments.addScores({ term: id, weight, saturation: SATURATION, ...norm }, words);
    }
    return { words, products: vectors.products(vector) };
  };
}

/** The product of two vectors of the same direction. */
const UNIT_PRODUCT = VECTOR_LENGTH * VECTOR_LENGTH;

export const similarityOf = (product: number): number => product / UNIT_PRODUCT;

/**
 * Puts the halves together, in the array of the first, and multiplies by the quality. What does not match gets 0. Written
 * for speed: there may be millions of slots, few of which match.
 */
export function fuseScores(
  { words, products }: Halves,
  { mostWords, nearest }: Pick<Snapshot, 'mostWords' | 'nearest'>,
  { slots, quality }: { slots: number; quality: Uint8Array },
): void {
  const leastProduct = Math.ceil(LEAST_SIMILARITY * UNIT_PRODUCT);
  const wordsFactor = mostWords > 0 ? WORDS_SHARE / mostWords : 0;
  const meaningFactor = (1 - WORDS_SHARE) / Math.max(nearest - NO_SIMILARITY, Number.EPSILON);
  for (let slot = 0; slot < slots; slot += 1) {
    const ofWords = words[slot]!;
    const product = products[slot]!;
    if (ofWords === 0 && product < leastProduct) continue;
    const meaning = Math.max(0, product / UNIT_PRODUCT - NO_SIMILARITY);
    words[slot] = ((ofWords * wordsFactor + meaning * meaningFactor) * quality[slot]!) / QUALITY_STEPS;
  }
}
