import { isObject, type JsonObject } from '../json.ts';

// JSON Schema 2020-12 keeps schemas inside a schema under these keywords. Anything elsewhere is data.
const SCHEMA = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'contains',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);
const SCHEMA_LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_MAP = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
]);
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example', 'dependentRequired']);

/** A schema directly inside another one. */
export interface Subschema {
  readonly schema: JsonObject;
  readonly keyword: string;
  /** Its key or index, if the keyword holds several. */
  readonly name?: string | undefined;
  /**
   * False under a keyword that JSON Schema does not know. Such an object is not a schema until a `$ref` points to it,
   * but must be guarded as if it were one.
   */
  readonly known: boolean;
}

/** Returns the schemas directly inside a schema. Leaves out boolean schemas, which have no keywords. */
export function subschemasOf(schema: JsonObject): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema)) addUnder(keyword, schema[keyword], found);
  return found;
}

function addUnder(keyword: string, value: unknown, found: Subschema[]): void {
  if (typeof value !== 'object' || value === null || DATA.has(keyword)) return;
  if (Array.isArray(value)) {
    // Older dialects allow a list of schemas under `items`.
    if (SCHEMA_LIST.has(keyword) || keyword === 'items')
      addEach(keyword, value, SCHEMA_LIST.has(keyword), found);
  } else if (SCHEMA_MAP.has(keyword)) addEach(keyword, value, true, found);
  else found.push({ schema: value as JsonObject, keyword, known: SCHEMA.has(keyword) });
}

function addEach(keyword: string, schemas: object, known: boolean, found: Subschema[]): void {
  for (const [name, schema] of Object.entries(schemas))
    if (isObject(schema)) found.push({ schema, keyword, name, known });
}

/** A schema and the path to it. */
export interface Position extends Omit<Subschema, 'keyword'> {
  /** Absent at the root. */
  readonly keyword?: string;
  readonly parent?: Position;
  readonly depth: number;
}

/** Yields every schema in a schema down to a depth, starting with itself. Does not recurse, so any depth is safe. */
export function* schemaPositions(root: JsonObject, depthLimit = Infinity): Generator<Position> {
  const waiting: Position[] = [{ schema: root, known: true, depth: 0 }];
  for (let position = waiting.pop(); position !== undefined; position = waiting.pop()) {
    yield position;
    if (position.depth >= depthLimit) continue;
    const depth = position.depth + 1;
    for (const { schema, keyword, name, known } of subschemasOf(position.schema).reverse())
      waiting.push({ schema, keyword, name, known: position.known && known, parent: position, depth });
  }
}

/** Returns a path for people, such as `schema.properties.input.allOf.0`. */
export function placeOf(position: Position): string {
  const steps: string[] = [];
  for (let at: Position | undefined = position; at !== undefined; at = at.parent) {
    if (at.name !== undefined) steps.push(at.name);
    steps.push(at.keyword ?? 'schema');
  }
  return steps.reverse().join('.');
}
