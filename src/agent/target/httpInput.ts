/** Sorts the values that an agent gives for an http resource: into its path, its query and its body. */
import { hasBody, PATH_PARAMETER, type HttpConvention } from '../catalog/listing.ts';
import { Failure, invalidArguments } from '../codes.ts';
import { isObject, parseJson, type Json, type JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import { quoted } from '../words.ts';

/** Values, sorted by where they go. */
export interface SortedInput {
  pathParams: JsonObject;
  query: JsonObject;
  /** Undefined for a request without a body. */
  body: Json | undefined;
}

/**
 * Puts values where their names belong: into the path by its template, or into the query if the method has no body or
 * only the query declares the name, or else into the body. A path name that is declared elsewhere also goes there.
 */
export function sortInput(
  input: JsonObject | string,
  { method, bodyType, pathNames, queryNames, bodyNames }: HttpConvention,
): SortedInput | Failure {
  if (bodyType === 'text' && typeof input === 'string') return { pathParams: {}, query: {}, body: input };
  const values = asObject(input);
  if (values instanceof Failure) return values;
  const pathParams: JsonObject = {};
  const query: JsonObject = {};
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    const isBodyField = bodyNames.has(name) && hasBody(method);
    if (pathNames.includes(name)) define(pathParams, name, value);
    if (queryNames.has(name) && !isBodyField) define(query, name, value);
    else if (isBodyField || (hasBody(method) && !pathNames.includes(name))) define(body, name, value);
    else if (!pathNames.includes(name)) define(query, name, value);
  }
  if (!hasBody(method)) return { pathParams, query, body: undefined };
  if (bodyType !== 'text') return { pathParams, query, body };
  const text = textOf(body);
  return text instanceof Failure ? text : { pathParams, query, body: text };
}

/** Sets a property of any name, even `__proto__`. */
function define(target: JsonObject, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Also accepts JSON text, since some models write the object so. */
export function asObject(input: JsonObject | string | undefined): JsonObject | undefined | Failure {
  if (typeof input !== 'string') return input;
  const parsed = parseJson(input, TARGET_LIMITS.maxJsonDepth);
  return isObject(parsed) ? parsed : invalidArguments('input must be an object of values by name.');
}

/** Accepts a text body as a text, or as the only text in an object. */
export function textOf(input: JsonObject | string): string | Failure {
  if (typeof input === 'string') return input;
  const [text, ...others] = Object.values(input);
  if (typeof text === 'string' && others.length === 0) return text;
  return invalidArguments('The body is a plain text: give it as input {"text": "…"}.');
}

/** Returns the URL with its parameters filled in. Refuses values that could lead to another path. */
export function fillPath(resource: string, names: readonly string[], values: JsonObject): URL | Failure {
  const url = new URL(resource);
  const texts = new Map(names.map((name) => [name, scalarText(values[name])]));
  const missing = names.filter((name) => texts.get(name) === undefined);
  if (missing.length > 0)
    return invalidArguments(
      `The path needs values, each a text or a number in input: ${quoted(missing.join(', '))}.`,
    );
  const unfit = names.find((name) => !isPathValue(texts.get(name) ?? ''));
  if (unfit !== undefined)
    return invalidArguments(
      `${quoted(unfit)} is part of the path: it must not be empty, "." or "..", nor hold a slash or a control character.`,
    );
  if (names.length > 0)
    url.pathname = url.pathname.replace(PATH_PARAMETER, (_, name: string) =>
      encodeURIComponent(texts.get(name) ?? ''),
    );
  return url;
}

function scalarText(value: Json | undefined): string | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : undefined;
}

function isPathValue(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.isWellFormed() && !/[/\\\p{Cc}]/u.test(text);
}
