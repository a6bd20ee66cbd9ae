import { isDeepStrictEqual } from 'node:util';
import { array, componentOf, namesOf, object, referenceOf, resolve, show } from './document.ts';
import type { Documents, Json, Report } from './document.ts';
import { findEscapes, valuesOf } from './keywords.ts';

/** Says who writes the value: the client (`request`) or the service (`response`). */
export type Direction = 'request' | 'response';

/** One schema as it was and as it is. */
interface Change {
  place: string;
  old: unknown;
  next: unknown;
}

export type CompareSchemas = (direction: Direction, change: Change) => void;

/**
 * Returns a comparison of the schemas of two documents. What a request may hold must stay allowed, what a response may
 * hold must not become more, and every name that an SDK makes must stay. Adds the names of the component schemas that
 * were compared to `reached`.
 */
export function createSchemaComparison({ before, after }: Documents, report: Report, reached: Set<string>) {
  const compared = new Set<string>();

  const compare: CompareSchemas = (direction, { place, old, next }) => {
    const [was, is] = [referenceOf(old), referenceOf(next)];
    if (was !== undefined && is !== undefined) compareComponents(direction, was, is);
    if (was !== is && isObject(old) && isObject(next)) {
      const [from, to] = [was ?? 'a schema without a name', is ?? 'a schema without a name'];
      report(
        place,
        `${direction}-schema-renamed`,
        `What was ${from} is ${to}: SDKs name its type otherwise.`,
      );
    }
    const both = was !== undefined && is !== undefined;
    compareContent(direction, {
      place,
      old: both ? withoutReference(old) : plain(before, old),
      next: both ? withoutReference(next) : plain(after, next),
    });
  };

  /** Compares each pair of components once, so that the comparison of schemas that refer to themselves ends. */
  function compareComponents(direction: Direction, was: string, is: string): void {
    const key = `${direction} ${was} ${is}`;
    if (compared.has(key)) return;
    compared.add(key);
    reached.add(was);
    compare(direction, { place: was, old: componentOf(before, was), next: componentOf(after, is) });
  }

  function compareContent(direction: Direction, { place, old, next }: Change): void {
    const [inner, outer] = direction === 'request' ? [old, next] : [next, old];
    if (inner === false) return;
    if (outer === false) return reportLimit(direction, { place, old, next }, 'schema');
    const [from, to] = [object(old), object(next)];

    for (const { keyword, certain } of findEscapes(object(inner), object(outer))) {
      const change = { place, old: from[keyword], next: to[keyword] };
      if (certain) reportLimit(direction, change, keyword);
      else reportUnjudged(direction, change, keyword);
    }
    compareValues(direction, place, valuesOf(from), valuesOf(to));
    if (direction === 'request' && !isDeepStrictEqual(from.default, to.default)) {
      const text = `Left out, it meant ${show(from.default)} and means ${show(to.default)}.`;
      report(place, 'request-default-changed', text);
    }
    compareProperties(direction, place, from, to);
    for (const [keyword, step] of [
      ['items', '[]'],
      ['contentSchema', ' content'],
    ] as const) {
      if (!(keyword in from) && !(keyword in to)) continue;
      compare(direction, { place: place + step, old: from[keyword] ?? true, next: to[keyword] ?? true });
    }
    if ('additionalProperties' in from || 'additionalProperties' in to)
      compare(direction, { place: `${place}{}`, old: othersOf(from), next: othersOf(to) });
    for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const)
      compareBranches(direction, place, keyword, from, to);
    compareHidden(from);
  }

  function compareValues(direction: Direction, place: string, old?: unknown[], next?: unknown[]): void {
    if (old && next) {
      const missing = (values: unknown[], others: unknown[]) =>
        values.filter((value) => !others.some((other) => isDeepStrictEqual(value, other)));
      for (const value of missing(old, next))
        report(
          `${place} ${show(value)}`,
          `${direction}-value-removed`,
          'The value is gone, and its name in SDKs.',
        );
      if (direction === 'request') return;
      for (const value of missing(next, old))
        report(`${place} ${show(value)}`, 'response-value-added', 'Clients do not know the value.');
    } else if (direction === 'request' ? next : old) {
      reportLimit(direction, { place, old, next }, 'enum');
    }
  }

  function compareProperties(direction: Direction, place: string, from: Json, to: Json): void {
    const [was, is] = [object(from.properties), object(to.properties)];
    for (const name of namesOf(was, is)) {
      const change = {
        place: `${place}.${name}`,
        old: was[name] ?? othersOf(from),
        next: is[name] ?? othersOf(to),
      };
      if (name in was && !(name in is) && isObject(was[name])) {
        report(change.place, `${direction}-property-removed`, 'The property is gone, and its name in SDKs.');
      } else if (name in is && !(name in was) && change.old === false && direction === 'response') {
        report(
          change.place,
          'response-property-added',
          'It was said that the object has no further property.',
        );
      } else if (name in was || change.old !== true || is[name] === false) {
        compare(direction, change);
      }
    }
    const [required, optional] = direction === 'request' ? [to, from] : [from, to];
    for (const name of array(required.required)) {
      const isGone = String(name) in was && !(String(name) in is);
      if (isGone || array(optional.required).includes(name)) continue;
      const text = direction === 'request' ? 'Requests must have it now.' : 'Responses may lack it now.';
      report(
        `${place}.${String(name)}`,
        `${direction}-property-${direction === 'request' ? 'required' : 'optional'}`,
        text,
      );
    }
  }

  /** Matches branches that refer to the same schema, and the other branches in their order. */
  function compareBranches(direction: Direction, place: string, keyword: string, from: Json, to: Json): void {
    if (isDeepStrictEqual(from[keyword], to[keyword]) && from[keyword] === undefined) return;
    const [inner, outer] = direction === 'request' ? [from, to] : [to, from];
    const [old, next] = [array(from[keyword]), array(to[keyword])];
    const removed = old.filter((branch) => !next.some((other) => isSameReference(branch, other)));
    const added = next.filter((branch) => !old.some((other) => isSameReference(branch, other)));
    for (const branch of old) {
      const other = next.find((candidate) => isSameReference(branch, candidate));
      if (other !== undefined) compare(direction, { place: `${place}|${keyword}`, old: branch, next: other });
    }
    const inOrder = removed.length === added.length ? removed.length : 0;
    for (let i = 0; i < inOrder; i++) {
      compare(direction, { place: `${place}|${i}`, old: removed[i], next: added[i] });
    }
    if (inOrder > 0 || removed.length + added.length === 0) return;
    const change = { place, old: from[keyword], next: to[keyword] };
    if (keyword !== 'anyOf') return reportUnjudged(direction, change, keyword);
    const escaping = direction === 'request' ? removed : added;
    if (inner.anyOf === undefined || (outer.anyOf !== undefined && escaping.length > 0))
      reportLimit(direction, change, keyword);
  }

  /** Compares schemas inside a keyword that is compared as a whole (`if`, `not` …) in both directions. */
  function compareHidden(schema: Json): void {
    const hidden = Object.keys(schema).filter((keyword) => opaque.has(keyword));
    for (const name of hidden.flatMap((keyword) => referencesIn(schema[keyword]))) {
      if (object(object(after.components).schemas)[name] === undefined) continue;
      compareComponents('request', name, name);
      compareComponents('response', name, name);
    }
  }

  function reportLimit(direction: Direction, { place, old, next }: Change, keyword: string): void {
    const rule = `${direction}-${keyword}-${direction === 'request' ? 'narrowed' : 'widened'}`;
    report(place, rule, `${keyword} was ${show(old)} and is ${show(next)}.`);
  }

  function reportUnjudged(direction: Direction, { place, old, next }: Change, keyword: string): void {
    const text = `${keyword} was ${show(old)} and is ${show(next)}. This cannot be judged: declare it.`;
    report(place, `${direction}-${keyword}-unjudged`, text);
  }

  return compare;
}

const opaque = new Set(
  'if then else not prefixItems contains dependentSchemas propertyNames patternProperties unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

/** Returns what an object may hold under names that it does not list. */
function othersOf(schema: Json): unknown {
  return schema.additionalProperties ?? schema.unevaluatedProperties ?? true;
}

function isSameReference(one: unknown, other: unknown): boolean {
  return referenceOf(one) !== undefined && referenceOf(one) === referenceOf(other);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object';
}

function withoutReference(schema: unknown): Json {
  const { $ref: _, ...rest } = object(schema);
  return rest;
}

function plain(document: Json, schema: unknown): unknown {
  return isObject(schema) ? resolve(document, schema) : schema;
}

/** Returns the names of the component schemas that a value refers to, at any depth. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  const own = referenceOf(value);
  return [...(own === undefined ? [] : [own]), ...Object.values(object(value)).flatMap(referencesIn)];
}
