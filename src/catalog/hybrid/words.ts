import { cut } from '../declaration/json.ts';
import { WORD_LIMIT_CHARACTERS } from '../limits.ts';
import { DRAWING, TOKEN } from '../search/tokens.ts';

/** Where a new word begins inside a compound: `getFx`, `FXRate`, `ipv4`. */
const SEAM =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;

/** A word as it stands in a text, and the words it is made of if it is a compound. */
export interface Word {
  /** Lower case, without diacritics. */
  readonly whole: string;
  /** Empty unless it is a compound. */
  readonly parts: readonly string[];
}

/** Returns the words of a text in their order. Splits compounds such as `getFxRate`. */
export function wordsOf(text: string): Word[] {
  const tokens: string[] = text.normalize('NFKD').replace(DRAWING, '').match(TOKEN) ?? [];
  return tokens.map((token) => {
    const short = cut(token, WORD_LIMIT_CHARACTERS);
    const whole = short.toLowerCase();
    if (short === whole && !/\d/.test(short)) return { whole, parts: [] };
    const parts = short.split(SEAM);
    return { whole, parts: parts.length > 1 ? parts.map((part) => part.toLowerCase()) : [] };
  });
}
