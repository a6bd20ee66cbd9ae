/** A JSON object whose members are unknown. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns at most `limitCharacters` UTF-16 units from the start of a text. Never ends with half a character. */
export function cut(text: string, limitCharacters: number): string {
  if (text.length <= limitCharacters) return text;
  return text.slice(0, limitCharacters).replace(/[\ud800-\udbff]$/, '');
}

/** Shortens a text as `cut` does, and adds an ellipsis. */
export function shorten(text: string, limitCharacters: number): string {
  return text.length <= limitCharacters ? text : `${cut(text, limitCharacters - 1)}…`;
}
