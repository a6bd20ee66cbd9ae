/** Texts of sellers and of others, before a language model reads them. */
import type { Json } from './json.ts';
import { RESULT_LIMITS } from './limits.ts';

/**
 * What is read without being seen: control and format characters, those that turn text around, selectors of variants and
 * what has no meaning (yet). Line breaks stay, and what makes an emoji of a sign.
 */
const HIDDEN = /(?![\t\n\r]|(?<=\p{Emoji})\ufe0f)[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** A text on one line, without hidden characters, of at most so many; null for what is no text or empty. */
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

/** Whether a name or an address, which cannot be cleaned without being another one, shows all that it is. */
export function isClean(text: string): boolean {
  return cleanText(text, text.length) === text;
}

/** The same value, its texts and names without hidden characters. */
export function cleanJson(value: Json): Json {
  return mapTexts(value, withoutHidden);
}

/** The same value as every host can read it: many refuse a whole message for half a character in it. */
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

/** Somebody else's words within a reason: on one line, cut, and in quotation marks that they cannot close. */
export function quoted(text: string): string {
  const { maxQuoteChars } = RESULT_LIMITS;
  const said = cleanText(text.slice(0, 2 * maxQuoteChars), maxQuoteChars) ?? '';
  return `“${said.replace(/["“”]/g, "'")}”`;
}

function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, ' ');
}
