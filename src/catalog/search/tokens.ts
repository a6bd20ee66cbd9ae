import { cut } from '../declaration/json.ts';
import { WORD_LIMIT_CHARACTERS } from '../limits.ts';

/** Marks that only change how a letter looks: diacritics (NFKD takes é apart), variation selectors, enclosing marks. */
export const DRAWING = /[\u0300-\u036f\ufe00-\ufe0f\p{Me}]+/gu;
/** Other marks, such as the vowel signs of Indic scripts, are part of the word that they follow. */
export const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/**
 * Returns the words of a text: runs of letters and digits, without case and diacritics. Does no stemming, and leaves no
 * word out. If a word is longer than any real one, only its start counts.
 */
export function tokensOf(text: string): string[] {
  const tokens: string[] = text.normalize('NFKD').toLowerCase().replace(DRAWING, '').match(TOKEN) ?? [];
  return tokens.map((token) => cut(token, WORD_LIMIT_CHARACTERS));
}
