import { BODY_DEPTH_LIMIT } from './limits.ts';

export type Parsed = { readonly value: unknown } | { readonly problem: string };

/**
 * Parses JSON text and refuses what two readers could understand differently or choke on: a key that is
 * given twice, nesting deeper than {@link BODY_DEPTH_LIMIT}. The problem is a sentence for the sender. The key
 * `__proto__` is one like any other: `JSON.parse` makes it a member of its own, and nothing assigns by keys of a body.
 */
export function parseJson(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'The request body is not valid JSON.' };
  }
  const keys = countKeys(value, 0);
  if (keys === 'too deep') {
    return { problem: `The request body is nested deeper than ${BODY_DEPTH_LIMIT} levels.` };
  }
  if (keys === countWrittenKeys(text)) return { value };
  return { problem: `The request body has the key ${findRepeatedKey(text)} twice in one object.` };
}

/** The number of keys in a parsed value; the depth limit bounds the recursion. */
function countKeys(value: unknown, depth: number): number | 'too deep' {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === BODY_DEPTH_LIMIT) return 'too deep';
  const members = Array.isArray(value) ? value : Object.values(value);
  let count = members === value ? 0 : members.length;
  for (const member of members) {
    const inner = countKeys(member, depth + 1);
    if (typeof inner === 'string') return inner;
    count += inner;
  }
  return count;
}

/** The number of keys that the text has written out, repeated ones included. */
function countWrittenKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    const after = stringEnd(text, start);
    if (text[skipSpace(text, after)] === ':') count += 1;
    start = text.indexOf('"', after);
  }
  return count;
}

/** The first key, as written, that comes twice in one object of a valid JSON text. */
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
  throw new Error('no key is repeated');
}

const KEY_SHOWN_CHARS = 64;

function shown(key: string): string {
  return JSON.stringify(key.length > KEY_SHOWN_CHARS ? `${key.slice(0, KEY_SHOWN_CHARS)}…` : key);
}

/** The index after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** A character is escaped by an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let backslash = at - 1;
  while (text[backslash] === '\\') backslash -= 1;
  return (at - 1 - backslash) % 2 === 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}
