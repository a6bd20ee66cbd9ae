import { DRAWING, TOKEN } from '../search/tokens.ts';

/** Parts of a name such as parseJSONBody2: runs of capitals, words, numbers. */
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Returns the numbers that a table gives to the words of a text, without case and diacritics. A word that it does not
 * have is taken apart where lower case, capitals and digits meet.
 */
export function knownWords(text: string, table: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  const find = (word: string): boolean => {
    const token = table.get(word.toLowerCase());
    if (token !== undefined) found.push(token);
    return token !== undefined;
  };
  for (const [word] of text.normalize('NFKD').replace(DRAWING, '').matchAll(TOKEN))
    if (!find(word)) for (const [part] of word.matchAll(PART)) find(part);
  return found;
}
