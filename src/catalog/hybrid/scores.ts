import { lengthNorm, SATURATION } from '../search/ranking.ts';
import type { Snapshot } from './cursor.ts';
import type { HybridIndex } from './hybridIndex.ts';
import { VECTOR_LENGTH } from '../meaning/index.ts';

/** Share of the words in a score; the rest is meaning. */
const WORDS_SHARE = 0.45;
/** A text that is less similar to the question than this has nothing to do with it. */
export const LEAST_SIMILARITY = 0.25;
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
    if (words.length < segments.slots) words = new Float32Array(Math.ceil(segments.slots * 1.125));
    else words.fill(0);
    const norm = lengthNorm({ listings: 1, tokens: meanLength });
    for (const { term, weight } of terms) {
      const id = vocabulary.idOf(term);
      if (id !== undefined) segments.addScores({ term: id, weight, saturation: SATURATION, ...norm }, words);
    }
    return { words, products: vectors.products(vector) };
  };
}

export const similarityOf = (product: number): number => product / (VECTOR_LENGTH * VECTOR_LENGTH);

/** Returns the function that puts the halves together. It returns 0 for what does not match. */
export function fusedBy({
  mostWords,
  nearest,
}: Pick<Snapshot, 'mostWords' | 'nearest'>): (words: number, similarity: number) => number {
  const range = Math.max(nearest - NO_SIMILARITY, Number.EPSILON);
  return (words, similarity) => {
    if (words === 0 && similarity < LEAST_SIMILARITY) return 0;
    const byWords = mostWords > 0 ? words / mostWords : 0;
    const byMeaning = Math.max(0, similarity - NO_SIMILARITY) / range;
    return WORDS_SHARE * byWords + (1 - WORDS_SHARE) * byMeaning;
  };
}
