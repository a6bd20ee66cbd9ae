import { SATURATION, wordScore, type LengthNorm } from '../search/ranking.ts';
import { BLOCK_SIZE, find, type Postings } from './blocks.ts';

/** At most this many places are looked up one by one in the postings of the words that remain. */
const FEW_PLACES = 128;
const EVERY_PLACE = Uint16Array.from({ length: BLOCK_SIZE }, (_, place) => place);

/** A word of the query in one block. */
export interface BlockWord {
  readonly idf: number;
  /** An upper bound: more than the word can add to a score. */
  readonly bound: number;
  /** Returns undefined if the block does not have the word after all. */
  read(): Postings | undefined;
}

/** The scores of a block's listings and what they depend on, by place. */
export interface BlockScores {
  readonly scores: Float64Array;
  readonly lengths: Uint16Array;
  readonly norm: LengthNorm;
}

/**
 * Adds up the scores of a block's listings, word by word in the order given, which should put rare words first. Clears
 * the earlier scores. Returns the places to look at. Every place that scores more than `threshold` is among them, and
 * their scores are complete. Other scores may be too low, since words that can no longer make a difference are not read.
 */
export function addScores(block: BlockScores, words: readonly BlockWord[], threshold: number): Uint16Array {
  block.scores.fill(0);
  let places: Uint16Array = EVERY_PLACE;
  const rests = boundsBehind(words);
  for (const [at, word] of words.entries()) {
    if (places.length === 0) break;
    const rest = rests[at]!;
    const postings = word.read();
    if (postings === undefined) continue;
    if (places === EVERY_PLACE) addAll(block, postings, word.idf);
    else addAt(block, places, postings, word.idf);
    if (rest <= threshold) places = above(block, threshold - rest, places);
  }
  return places;
}

function addAll(
  { scores, lengths, norm: { base, slope } }: BlockScores,
  { count, places, frequencies }: Postings,
  idf: number,
): void {
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!;
    const frequency = frequencies[at]!;
    // Inlined from wordScore, with the same result to the bit: a call for each of a million postings is noticeable.
    scores[place]! += idf * ((frequency * SATURATION) / (frequency + base + slope * lengths[place]!));
  }
}

function addAt(
  { scores, lengths, norm }: BlockScores,
  wanted: Uint16Array,
  { count, places, frequencies }: Postings,
  idf: number,
): void {
  for (const place of wanted) {
    const at = find(places, count, place);
    if (at < 0) continue;
    scores[place]! += wordScore(idf, frequencies[at]!, lengths[place]!, norm);
  }
}

/** Returns those of `places` that score more than `least`, or all of `places` if these are many. */
function above({ scores }: BlockScores, least: number, places: Uint16Array): Uint16Array {
  const found = new Uint16Array(FEW_PLACES);
  let count = 0;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at]!;
    if (scores[place]! <= least) continue;
    if (count === FEW_PLACES) return places;
    found[count++] = place;
  }
  return found.subarray(0, count);
}

/** Returns what the words after each one can add together. Sums from the back, so that the last sum is exactly 0. */
function boundsBehind(words: readonly BlockWord[]): Float64Array {
  const rests = new Float64Array(words.length);
  for (let at = words.length - 2; at >= 0; at -= 1) rests[at] = rests[at + 1]! + words[at + 1]!.bound;
  return rests;
}
