/** Cleans texts of sellers and others before a language model reads them. */
import type { Json } from './json.ts';
import { RESULT_LIMITS } from './limits.ts';

/**
 * Matches characters that are read but not seen: control and format characters, marks that change the direction of
 * text, variation selectors, and unassigned characters. Leaves tabs, line breaks, and the selector that makes a sign
 * an emoji.
 */
const HIDDEN = /(?![\t\n\r]|(?<=\p{Emoji})\ufe0f)[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns a text on one line, without hidden characters, of at most `maxChars`; null if it is empty or not a text. */
export function cleanText(value: unknown, maxChars: number): string | null {
  if (typeof value !== 'string') return null;
  const clean = withoutHidden(value).replace(/\s+/g, ' ').trim();
  if (clean === '') return null;
  return clean.length <= maxChars
    ? clean
    : `${clean
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

/** True when a name or an address has nothing to clean. Cleaning would turn it into another one. */
export function isClean(text: string): boolean {
  return cleanText(text, text.length) === text;
}

/** Returns the same value with the hidden characters in its texts and names replaced by spaces. */
export function cleanJson(value: Json): Json {
  return mapTexts(value, withoutHidden);
}

/** Returns the same value without half characters (lone surrogates), for which many hosts refuse a whole message. */
export function wellFormed(value: Json): Json {
  return mapTexts(value, (text) => text.toWellFormed());
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]),
  );
}

/** Quotes somebody else's words in a reason: on one line, cut, and in quotation marks that they cannot close. */
export function quoted(text: string): string {
  const { maxQuoteChars } = RESULT_LIMITS;
  const said = cleanText(text.slice(0, 2 * maxQuoteChars), maxQuoteChars) ?? '';
  return `“${said.replace(/["“”]/g, "'")}”`;
}

function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, ' ');
}
