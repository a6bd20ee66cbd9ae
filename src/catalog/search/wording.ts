import { MAX_WORDS_PER_LISTING, WORDS_LIMIT_BYTES } from '../limits.ts';
import { tokensOf } from './tokens.ts';

/** The searchable text of a listing. */
export interface SearchText {
  readonly serviceName: string;
  readonly tags: readonly string[];
  readonly description: string;
  /** Names and descriptions of its parameters. */
  readonly parameters: string;
}

/** Weight of an occurrence in each field. */
export const FIELD_WEIGHTS = { serviceName: 4, tags: 3, description: 2, parameters: 1 } as const;

/** A listing as the index sees it. */
export interface Wording {
  /** The occurrences of each word, weighted by the fields that contain them. */
  readonly words: ReadonlyMap<string, number>;
  /** Number of occurrences of all words in all fields, without weights. */
  readonly length: number;
}

export function wordingOf(text: SearchText): Wording {
  const words = new Map<string, number>();
  let length = 0;
  let bytes = 0;
  const fits = (token: string): boolean => {
    const more = bytes + Buffer.byteLength(token);
    if (words.size >= MAX_WORDS_PER_LISTING || more > WORDS_LIMIT_BYTES) return false;
    bytes = more;
    return true;
  };
  const add = (field: keyof SearchText, fieldText: string): void => {
    for (const token of tokensOf(fieldText)) {
      const known = words.get(token);
      if (known === undefined && !fits(token)) continue;
      words.set(token, (known ?? 0) + FIELD_WEIGHTS[field]);
      length += 1;
    }
  };
  add('serviceName', text.serviceName);
  for (const tag of text.tags) add('tags', tag);
  add('description', text.description);
  add('parameters', text.parameters);
  return { words, length };
}
