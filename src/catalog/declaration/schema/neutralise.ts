import { isObject, type JsonObject } from '../json.ts';
import { schemaPositions, subschemasOf } from './positions.ts';

type Schema = Record<string, unknown>;

/**
 * Returns a copy of a schema that runs no regular expressions, and expresses the rest in keywords that the evaluator
 * knows. Recognises keywords only in their proper places: a parameter may be named `format`, and an example may contain
 * anything.
 */
export function neutralise(schema: JsonObject): JsonObject {
  const copy = structuredClone(schema) as Schema;
  loosen(copy, hasPatterns(copy));
  for (const position of schemaPositions(copy)) translate(position.schema);
  return copy;
}

const PATTERN_KEYWORDS = ['pattern', 'patternProperties', 'format'];
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

function hasPatterns(schema: Schema): boolean {
  for (const position of schemaPositions(schema)) {
    if (PATTERN_KEYWORDS.some((keyword) => keyword in position.schema)) return true;
  }
  return false;
}

/**
 * Strips the keywords that run regular expressions, and the keywords that would then refuse too much. Returns true if
 * anything was stripped. Does not follow references: a reference counts as stripped if anything in the whole schema is.
 * Recursion is safe within the node limit.
 */
function loosen(schema: Schema, isAnywhere: boolean): boolean {
  const loosened = new Set<string>();
  for (const subschema of subschemasOf(schema)) {
    if (loosen(subschema.schema, isAnywhere)) loosened.add(subschema.keyword);
  }
  if (loosened.has('not')) delete schema.not;
  if (loosened.has('if')) delete schema.if;
  if (loosened.has('contains')) delete schema.maxContains;
  if (loosened.has('oneOf')) {
    demand(schema, { anyOf: schema.oneOf });
    delete schema.oneOf;
  }
  const refers = REFERENCES.some((keyword) => keyword in schema);
  return strip(schema) || loosened.size > 0 || (refers && isAnywhere);
}

function strip(schema: Schema): boolean {
  const stripped = PATTERN_KEYWORDS.filter((keyword) => keyword in schema);
  // It is no longer known which properties the patterns would have allowed.
  if ('patternProperties' in schema) schema.additionalProperties = true;
  for (const keyword of stripped) delete schema[keyword];
  return stripped.length > 0;
}

function translate(schema: Schema): void {
  // A schema here has no addresses inside it, so a dynamic reference works like a plain one.
  for (const keyword of ['$dynamicRef', '$recursiveRef']) {
    if (schema[keyword] !== undefined) demand(schema, { $ref: schema[keyword] });
    delete schema[keyword];
  }
  if (schema.$dynamicAnchor !== undefined) schema.$anchor ??= schema.$dynamicAnchor;
  // OpenAPI 3.0 has this keyword, and stock validators understand it.
  if (schema.nullable === true && schema.type !== undefined) {
    schema.type = [...new Set([schema.type, 'null'].flat())];
  }
  if (schema.$id === '#') delete schema.$id;
  // In OpenAPI `examples` is an object. JSON Schema knows it only as a list.
  if (isObject(schema.examples)) delete schema.examples;
  // Remove keywords of other dialects, and the evaluator's own notes.
  for (const keyword of ['id', 'example', 'dependencies', ...EVALUATORS_NOTES]) delete schema[keyword];
}

const EVALUATORS_NOTES = ['__absolute_uri__', '__absolute_ref__', '__absolute_recursive_ref__'];

function demand(schema: Schema, further: JsonObject): void {
  if (schema.allOf === undefined) schema.allOf = [further];
  else if (Array.isArray(schema.allOf)) schema.allOf.push(further);
}
