import { isDeepStrictEqual } from 'node:util';
import { array, namesOf, type Json } from './document.ts';

/** Keywords that say nothing about which values a schema allows. */
const annotations = words('title description example examples externalDocs deprecated $comment');

/** Keywords that hold schemas and are compared by going into them, and those that are compared name by name. */
const structure = words(
  '$ref enum const default properties required additionalProperties items contentSchema allOf anyOf oneOf',
);

/** Bounds from below and from above, each with the value that its absence means. */
const lowerBounds = {
  minimum: -Infinity,
  exclusiveMinimum: -Infinity,
  minLength: 0,
  minItems: 0,
  minProperties: 0,
};
const upperBounds = words('maximum exclusiveMaximum maxLength maxItems maxProperties');

const everyType = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** A keyword by which `inner` may allow a value that `outer` does not: surely, or nobody can tell. */
interface Escape {
  keyword: string;
  certain: boolean;
}

/**
 * The keywords of two schemas, without those that hold schemas, by which `inner` is not within `outer`. A keyword that is
 * not known here and differs cannot be judged.
 */
export function findEscapes(inner: Json, outer: Json): Escape[] {
  const escapes: Escape[] = [];
  for (const keyword of namesOf(inner, outer)) {
    const [is, limit] = [inner[keyword], outer[keyword]];
    if (annotations.has(keyword) || structure.has(keyword) || isDeepStrictEqual(is, limit)) continue;
    const inside = isWithin(keyword, is, limit);
    if (inside !== true) escapes.push({ keyword, certain: inside === false });
  }
  return escapes;
}

/** Whether what a keyword allows with the value `is` is allowed with `limit`; undefined when that cannot be judged. */
function isWithin(keyword: string, is: unknown, limit: unknown): boolean | undefined {
  if (keyword === 'type') return typesOf(is).every((type) => typesOf(limit).includes(type));
  if (keyword in lowerBounds) {
    const least = lowerBounds[keyword as keyof typeof lowerBounds];
    return numberOr(is, least) >= numberOr(limit, least);
  }
  if (upperBounds.has(keyword)) return numberOr(is, Infinity) <= numberOr(limit, Infinity);
  if (keyword === 'pattern') return limit === undefined ? true : is === undefined ? false : undefined;
  return undefined;
}

/** The values that `enum` and `const` leave, undefined when they leave all. */
export function valuesOf(schema: Json): unknown[] | undefined {
  const listed = schema.enum === undefined ? undefined : array(schema.enum);
  if (!('const' in schema)) return listed;
  return (listed ?? [schema.const]).filter((value) => isDeepStrictEqual(value, schema.const));
}

function typesOf(type: unknown): unknown[] {
  const types = type === undefined ? everyType : [type].flat();
  return types.includes('number') ? [...types, 'integer'] : types;
}

function numberOr(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent;
}

function words(text: string): Set<string> {
  return new Set(text.split(' '));
}
