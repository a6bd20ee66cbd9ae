import { knows } from './embedding.ts';
import type { HybridIndex } from './hybridIndex.ts';
import { stemOf } from './stem.ts';
import { STOP_WORDS } from './stopWords.ts';
import { wordsOf } from './words.ts';

/** Words with meaning that a question may have; later ones are ignored. */
const MAX_QUESTION_WORDS = 24;
/** Terms that are searched for: a word may stand for several. */
const MAX_QUESTION_TERMS = 48;
/** Terms longer than this are searched for by meaning only. */
const MAX_TERM_CHARACTERS = 40;
/** A term that a larger share of the listings has says nothing. */
const COMMON_SHARE = 0.25;
/** How much a term counts that the question does not have itself. */
const CORRECTED = 0.7;
const JOINED = 0.7;
const LEAST_PART_CHARACTERS = 3;
/** Many words begin alike by chance in fewer letters. */
const LEAST_BEGINNING_CHARACTERS = 5;
/** What Snowball's rules take off a word, most often. */
const ENDINGS = ['e', 's', 'ion', 'ation', 'ing', 'ed', 'er', 'ity', 'al', 'ment', 'ive'];

/** A term to search for. */
export interface QuestionTerm {
  readonly term: string;
  /** From 0 to 1. */
  readonly weight: number;
}

/** A question as the hybrid ranking understands it. */
export interface Question {
  readonly terms: readonly QuestionTerm[];
  /** Its words, with misspelt ones put right. */
  readonly text: string;
  /** True if it has more words than count. */
  readonly isCut: boolean;
}

/** Returns the terms of a question: only those that any listing has. */
export function readQuestion(query: string, index: HybridIndex): Question {
  const all = [...new Map(wordsOf(query).map((word) => [word.whole, word])).values()];
  const meaningful = all.filter(({ whole }) => !STOP_WORDS.has(whole));
  const words = meaningful.length === 0 ? all : meaningful;
  const asked = words.slice(0, MAX_QUESTION_WORDS);
  const terms = new Map<string, number>();
  const texts: string[] = [];
  const add = ({ term, weight }: QuestionTerm): void => {
    if (
      terms.size < MAX_QUESTION_TERMS &&
      index.vocabulary.count(term) > 0 &&
      term.length <= MAX_TERM_CHARACTERS
    )
      terms.set(term, Math.max(weight, terms.get(term) ?? 0));
  };
  for (const [at, { whole, parts }] of asked.entries()) {
    const meant = meantBy(whole, index);
    for (const term of [...meant.terms, ...parts.map((part) => ({ term: stemOf(part), weight: 1 }))])
      add(term);
    texts.push(meant.text, ...parts);
    const next = asked[at + 1];
    if (next !== undefined) add({ term: stemOf(whole + next.whole), weight: JOINED });
  }
  const kept = withMeaning(terms, index);
  return {
    terms: [...kept].map(([term, weight]) => ({ term, weight })),
    text: texts.join(' '),
    isCut: asked.length < words.length,
  };
}

/** Leaves out terms that so many listings have that they say nothing, where others remain. */
function withMeaning(
  terms: ReadonlyMap<string, number>,
  { vocabulary, totals }: HybridIndex,
): ReadonlyMap<string, number> {
  const most = COMMON_SHARE * totals().listings;
  const rare = new Map([...terms].filter(([term]) => vocabulary.count(term) <= most));
  return rare.size > 0 ? rare : terms;
}

/** Returns the terms that a word stands for: itself, the two words it is made of, or those that come near it. */
function meantBy(word: string, { vocabulary, model }: HybridIndex): { terms: QuestionTerm[]; text: string } {
  const term = stemOf(word);
  if (vocabulary.count(term) > 0) return { terms: [{ term, weight: 1 }], text: word };
  const parts = partsOf(word, vocabulary);
  if (parts !== undefined)
    return { terms: parts.map((part) => ({ term: stemOf(part), weight: 1 })), text: parts.join(' ') };
  // A word that the model knows is spelt correctly, even if the catalog lacks it.
  const similar = knows(model, word) ? [] : alternativesTo(term, vocabulary);
  const text = similar.length === 0 ? word : wordOf(similar[0]!, model);
  return { terms: similar.map((other) => ({ term: other, weight: CORRECTED })), text };
}

/** Returns the terms that a word is a misspelling of; if there are none, the longest one that it begins with. */
function alternativesTo(term: string, vocabulary: HybridIndex['vocabulary']): readonly string[] {
  const similar = vocabulary.similar(term);
  if (similar.length > 0) return similar;
  for (
    let length = Math.min(term.length, MAX_TERM_CHARACTERS);
    length >= LEAST_BEGINNING_CHARACTERS;
    length -= 1
  ) {
    const beginning = term.slice(0, length);
    if (vocabulary.count(beginning) > 0) return [beginning];
  }
  return [];
}

/** Returns a word with this stem, if the model knows one. */
function wordOf(stem: string, model: HybridIndex['model']): string {
  const words = [stem, ...ENDINGS.map((ending) => stem + ending), stem.replace(/i$/, 'y')];
  return words.find((word) => knows(model, word) && stemOf(word) === stem) ?? stem;
}

/** Returns the two words of the catalog that a compound is made of: the pair whose rarer one is most common. */
function partsOf(word: string, vocabulary: HybridIndex['vocabulary']): [string, string] | undefined {
  let best: [string, string] | undefined;
  let most = 0;
  for (let at = LEAST_PART_CHARACTERS; at <= word.length - LEAST_PART_CHARACTERS; at += 1) {
    const parts: [string, string] = [word.slice(0, at), word.slice(at)];
    const count = Math.min(...parts.map((part) => vocabulary.count(stemOf(part))));
    if (count > most) [best, most] = [parts, count];
  }
  return best;
}

/** Returns the weight of a term that `matches` of the listings have. Above 0 for any term. */
export function idf(listings: number, matches: number): number {
  return Math.log(1 + (listings - matches + 0.5) / (matches + 0.5));
}

/** Returns how much each word of a question counts for its meaning: the fewer listings have it, the more. */
export function weightIn({ vocabulary, totals }: HybridIndex): (word: string) => number {
  const { listings } = totals();
  return (word) => (STOP_WORDS.has(word) ? 0 : idf(listings, vocabulary.count(stemOf(word))));
}
