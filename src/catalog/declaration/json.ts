/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The start of a text in UTF-16 units, without half a character at its end. */
export function cut(text: string, limitCharacters: number): string {
  if (text.length <= limitCharacters) return text;
  return text.slice(0, limitCharacters).replace(/[\ud800-\udbff]$/, '');
}

/** Like `cut`, and shows that something is missing. */
export function shorten(text: string, limitCharacters: number): string {
  return text.length <= limitCharacters ? text : `${cut(text, limitCharacters - 1)}…`;
}
