import { HTTP_LIMITS, KEY_SHOWN_CHARS, type HttpLimits } from './limits.ts';
import { malformed, type HttpRefusal } from './refusal.ts';

type JsonLimits = Pick<HttpLimits, 'maxBodyDepth' | 'maxBodyValues'>;

/**
 * Parses JSON text. Refuses what two readers could understand differently or choke on: a repeated key, nesting that is
 * too deep, or too many values. The key `__proto__` is like any other: `JSON.parse` makes it an own member, and nothing
 * assigns by keys of a body.
 */
export function parseJson(
  text: string,
  limits: JsonLimits = HTTP_LIMITS,
): { readonly value: unknown } | HttpRefusal {
  const outline = outlineOf(text, limits);
  if ('code' in outline) return outline;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed('The request body is not valid JSON.');
  }
  if (countKeys(value) === outline.writtenKeys) return { value };
  return malformed(`The request body has the key ${findRepeatedKey(text)} twice in one object.`);
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c] as const;
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Counts keys, values and depth before a text is parsed, since values take many times the memory of their text. The
 * counts are meaningful only for valid JSON.
 */
function outlineOf(
  text: string,
  { maxBodyDepth, maxBodyValues }: JsonLimits,
): { readonly writtenKeys: number } | HttpRefusal {
  let writtenKeys = 0;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = stringEnd(text, at) - 1;
      if (at < 0) break;
    } else if (char === COLON) writtenKeys += 1;
    else if (char === COMMA) values += 1;
    else if (char === ARRAY || char === OBJECT) {
      depth += 1;
      if (depth > maxBodyDepth)
        return malformed(`The request body is nested deeper than ${maxBodyDepth} levels.`);
      // An array or object has one comma fewer than members, if it has any.
      if (!isEnd(text.charCodeAt(skipSpace(text, at + 1)))) values += 1;
    } else if (isEnd(char)) depth -= 1;
    if (values > maxBodyValues) return malformed(`The request body has more than ${maxBodyValues} values.`);
  }
  return { writtenKeys };
}

function isEnd(char: number): boolean {
  return char === ARRAY_END || char === OBJECT_END;
}

/** Returns the number of keys in a parsed value, whose depth is bounded. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Array.isArray(value) ? value : Object.values(value);
  let count = members === value ? 0 : members.length;
  for (const member of members) count += countKeys(member);
  return count;
}

/** Returns the first key that appears twice in one object of a valid JSON text, quoted and shortened for a message. */
function findRepeatedKey(text: string): string {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const after = stringEnd(text, at);
      const written = text.slice(at, after);
      at = after - 1;
      if (text[skipSpace(text, after)] !== ':') continue;
      const key = JSON.parse(written) as string;
      if (open.at(-1)?.has(key)) return shown(key);
      open.at(-1)?.add(key);
    }
  }
  throw new Error('the text repeats no key');
}

function shown(key: string): string {
  return JSON.stringify(key.length > KEY_SHOWN_CHARS ? `${key.slice(0, KEY_SHOWN_CHARS)}…` : key);
}

/** Returns the index after the closing quote of the string that opens at `start`; 0 if the string does not close. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** True if an odd number of backslashes precedes the character. */
function isEscaped(text: string, at: number): boolean {
  let backslash = at - 1;
  while (text.charCodeAt(backslash) === BACKSLASH) backslash -= 1;
  return (at - 1 - backslash) % 2 === 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}
