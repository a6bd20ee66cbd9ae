/** Reads JSON from elsewhere, within bounds and without assumptions about its structure. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Parses a JSON text. Returns undefined if it is invalid, or nested deeper than `maxDepth`. */
export function parseJson(text: string, maxDepth: number): Json | undefined {
  // Checked before parsing: a value that is nested too deep could not even be written again.
  if (depthOf(text) > maxDepth) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns how deep the brackets of a text are nested, outside of strings. Takes one pass, whatever the text is. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isInString) {
      if (char === '\\') at += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth -= 1;
  }
  return deepest;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object at a path of names, or an empty one if there is none. Inherited names don't count. */
export function objectAt(value: unknown, ...path: string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : {};
}

export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function valueAt(value: unknown, ...path: string[]): Json | undefined {
  let found: unknown = value;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found as Json;
}
