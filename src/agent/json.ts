/** JSON from elsewhere: read within bounds, and looked into without taking anything for granted. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** The value of a JSON text; undefined where it is none, or nested deeper than `maxDepth`. */
export function parseJson(text: string, maxDepth: number): Json | undefined {
  // Before parsing: what is built too deep could not even be written again.
  if (depthOf(text) > maxDepth) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** How deep the brackets of a text are nested, outside of strings. One pass, whatever the text is. */
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

/** The object at a path of names; an empty one where there is none. Names of the prototype are none. */
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
