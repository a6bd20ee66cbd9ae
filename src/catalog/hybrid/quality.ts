import type { SearchText } from '../search/wording.ts';
import { stemOf } from './stem.ts';
import { STOP_WORDS } from './stopWords.ts';
import { wordsOf } from './words.ts';

/** A text with fewer words says too little about how it is written. */
const LEAST_WORDS = 12;
/** Plain sentences have at least this share of words such as "the" and "of". */
const LEAST_STOP_WORDS = 0.12;
/** In plain sentences, fewer words than this follow each other without such a word in between. */
const LONGEST_RUN = 14;
/** In a plain text no word has a larger share of all. */
const LARGEST_SHARE = 0.2;
/** A text is in the model's language if it knows this share of the words. */
const KNOWN_LANGUAGE = 0.7;
/** A description of fewer words describes nothing. */
const THIN_WORDS = 3;
/** Addresses of accounts and contracts. */
const ADDRESS = /\b[GCM][A-Z2-7]{55,68}\b/;

/** What each sign of stuffing leaves of a score. */
const LEFT = { listed: 0.3, run: 0.5, repeated: 0.4, thin: 0.6, address: 0.7 };

/**
 * Returns the share of its score that a listing keeps, from 0 to 1. It depends on how the text is written. Plain texts
 * keep all of it. Texts that stuff words lose: lists of words without sentences, words that are repeated over and over,
 * names and tags without a description, addresses. Only texts in the model's language are judged by their sentences.
 */
export function qualityOf(
  { serviceName, tags, description }: SearchText,
  knows: (word: string) => boolean,
): number {
  const words = wordsOf(description).map(({ whole }) => whole);
  let left = 1;
  if (words.length >= LEAST_WORDS) {
    const known = words.filter((word) => STOP_WORDS.has(word) || knows(word)).length / words.length;
    if (known >= KNOWN_LANGUAGE && shareOfStopWords(words) < LEAST_STOP_WORDS) left *= LEFT.listed;
    if (known >= KNOWN_LANGUAGE && longestRun(words) >= LONGEST_RUN) left *= LEFT.run;
    if (largestShare(words) > LARGEST_SHARE) left *= LEFT.repeated;
  }
  if (words.length < THIN_WORDS && (serviceName !== '' || tags.length > 0)) left *= LEFT.thin;
  if (ADDRESS.test(description)) left *= LEFT.address;
  return left;
}

function shareOfStopWords(words: readonly string[]): number {
  return words.filter((word) => STOP_WORDS.has(word)).length / words.length;
}

/** Returns the largest number of words in a row without a stop word. */
function longestRun(words: readonly string[]): number {
  let longest = 0;
  let run = 0;
  for (const word of words) {
    run = STOP_WORDS.has(word) ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Returns the largest share that one word has of all. */
function largestShare(words: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of words) {
    if (STOP_WORDS.has(word)) continue;
    const stem = stemOf(word);
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) / words.length;
}
