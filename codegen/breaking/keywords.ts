import { isDeepStrictEqual } from 'node:util';
import { array, namesOf, type Json } from './document.ts';

/** Keywords that say nothing about which values a schema allows. */
const annotations = words('title description example examples externalDocs deprecated $comment');

/** Keywords that are compared elsewhere: by going into the schemas that they hold, or name by name. */
const structure = words(
  '$ref enum const default properties required additionalProperties items contentSchema allOf anyOf oneOf',
);

/** Lower bounds, each with the value that its absence means, and upper bounds, whose absence means Infinity. */
const lowerBounds = {
  minimum: -Infinity,
  exclusiveMinimum: -Infinity,
  minLength: 0,
  minItems: 0,
  minProperties: 0,
};
const upperBounds = words('maximum exclusiveMaximum maxLength maxItems maxProperties');

const everyType = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** A keyword by which `inner` may allow a value that `outer` does not. If not `certain`, this cannot be judged. */
interface Escape {
  keyword: string;
  certain: boolean;
}

/**
 * Returns the keywords by which `inner` is not within `outer`, except keywords that hold schemas. A keyword that
 * differs and is not known here cannot be judged.
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

/** True when `limit` allows everything that the keyword allows with `is`; undefined if that cannot be judged. */
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

/** Returns the values that `enum` and `const` leave; undefined if they leave all. */
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
