/** Texts of sellers, before a language model reads them. */
import type { Json } from '../json.ts';

/** Control characters, and format characters that hide text or turn it around; joiners belong to some scripts. */
const HIDDEN = /[\p{Cc}\p{Co}]|(?![\u200c\u200d])\p{Cf}/gu;

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

/** The same value, its texts and names without hidden characters. */
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return withoutHidden(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutHidden(name), cleanJson(member)]),
  );
}

function withoutHidden(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (found) => (/\s/.test(found) ? found : ' '));
}
