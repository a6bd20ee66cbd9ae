import type { DiscoveryResource } from '../../contract/index.ts';
import { searchTextIn } from '../decide.ts';
import { keyOf } from '../sqlite/logListing.ts';
import { FIELD_WEIGHTS, type SearchText } from '../search/wording.ts';
import type { Model } from '../meaning/index.ts';
import { knows, type WeightedText } from './embedding.ts';
import { qualityOf } from './quality.ts';
import { stemOf } from './stem.ts';
import { STOP_WORDS } from './stopWords.ts';
import { wordsOf } from './words.ts';

/** Times that a term counts in one field. Repeating it more often gains nothing. */
const MAX_REPEATS = 3;
const MAX_TERMS = 512;

/** A listing as the hybrid ranking sees it. */
export interface Content {
  /** The weighted frequency of each term: the stem of a word. */
  readonly terms: ReadonlyMap<string, number>;
  /** Number of words. */
  readonly length: number;
  /** Fields of the listing, to be embedded. */
  readonly texts: readonly WeightedText[];
  /** From 0 for texts that only list words to 1 for plain ones. */
  readonly quality: number;
}

/** Takes a listing apart for the hybrid ranking. */
export function contentOf(item: DiscoveryResource, model: Model): Content {
  const said = searchTextIn(item);
  const texts = fieldsOf(item, said);
  const terms = new Map<string, number>();
  let length = 0;
  for (const { text, weight } of texts) {
    const repeats = new Map<string, number>();
    for (const { whole, parts } of wordsOf(text)) {
      length += 1;
      for (const word of [whole, ...parts]) {
        if (STOP_WORDS.has(word)) continue;
        const term = stemOf(word);
        const times = (repeats.get(term) ?? 0) + 1;
        repeats.set(term, times);
        if (times > MAX_REPEATS || (terms.size >= MAX_TERMS && !terms.has(term))) continue;
        terms.set(term, (terms.get(term) ?? 0) + weight);
      }
    }
  }
  return { terms, length, texts, quality: qualityOf(said, (word) => knows(model, word)) };
}

/**
 * Returns the texts of a listing with their weights. The name of its tool counts as a tag, and the path of its URL as a
 * parameter.
 */
function fieldsOf(
  item: DiscoveryResource,
  { serviceName, tags, description, parameters }: SearchText,
): WeightedText[] {
  const { toolName } = keyOf(item);
  return [
    { text: serviceName, weight: FIELD_WEIGHTS.serviceName },
    { text: toolName, weight: FIELD_WEIGHTS.tags },
    { text: tags.join('\n'), weight: FIELD_WEIGHTS.tags },
    { text: description, weight: FIELD_WEIGHTS.description },
    { text: parameters, weight: FIELD_WEIGHTS.parameters },
    { text: pathText(item.resource), weight: FIELD_WEIGHTS.parameters },
  ].filter(({ text }) => text !== '');
}

/** Returns the words in the path of a URL. Its numbers say nothing. */
function pathText(resource: string): string {
  const path = URL.parse(resource)?.pathname ?? '';
  return decoded(path).replaceAll(/\p{N}+/gu, ' ');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
