import { dereference, validate } from '@cfworker/json-schema';
import type { ValidateFunction } from 'ajv';
import type { CatalogRefusal } from '../../listing.ts';
import type { JsonObject } from '../json.ts';
import { UNGUARDED_LIMIT_CHARS2 } from '../limits.ts';
import { refuse, shown } from '../refusal.ts';
import { runBounded } from './bounded.ts';
import { evaluationCost } from './cost.ts';
import validateSchema from './metaSchema.generated.ts';
import { neutralise } from './neutralise.ts';
import { placeOf, schemaPositions } from './positions.ts';

// Clients' schemas are never compiled: this validator checks them as data, then they are interpreted.
const isSchema = validateSchema as unknown as ValidateFunction;

/**
 * Validates `info` against the client's schema, in bounded time. Expects a schema that is within the node limit and has
 * no external references.
 */
export function evaluate(schema: JsonObject, info: JsonObject): CatalogRefusal | undefined {
  const work = (): CatalogRefusal | undefined => check(neutralise(schema), info);
  const run = endsSoon(schema, info) ? { result: work() } : runBounded(work);
  if (run === 'exhausted') {
    return refuse(
      'bazaar_schema_too_complex',
      'schema takes too long to evaluate; use fewer and less deeply nested references and alternatives',
    );
  }
  return run.result;
}

/**
 * True when a schema visits each part of `info` at most once and both are small. Most are, and a guard costs more than
 * evaluating them: each guarded run starts a thread.
 */
function endsSoon(schema: JsonObject, info: JsonObject): boolean {
  return evaluationCost(schema, info) <= UNGUARDED_LIMIT_CHARS2;
}

function check(schema: JsonObject, info: JsonObject): CatalogRefusal | undefined {
  const malformed = checkForm(schema);
  if (malformed !== undefined) return malformed;
  try {
    const lookup = dereference(schema);
    return checkTargets(schema, lookup) ?? checkInfo(schema, lookup, info);
  } catch (error) {
    // Report what the evaluator does not understand. The caller handles what is too deep or too long.
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
    return failed(`schema cannot be evaluated: ${error.message}`);
  }
}

function failed(message: string): CatalogRefusal {
  return refuse('bazaar_schema_validation_failed', message);
}

/** Refuses a schema that is not valid. */
function checkForm(schema: JsonObject): CatalogRefusal | undefined {
  if (isSchema(schema)) return undefined;
  const [error] = isSchema.errors ?? [];
  const place = dotted('schema', error?.instancePath ?? '');
  return failed(`${place} is not a valid JSON Schema: it ${error?.message ?? 'is wrong'}`);
}

/** Refuses references that lead nowhere. */
function checkTargets(schema: JsonObject, lookup: Lookup): CatalogRefusal | undefined {
  for (const position of schemaPositions(schema)) {
    const { $ref, __absolute_ref__: target } = position.schema;
    // The evaluator records the target of every reference that it follows.
    if ($ref === undefined || !position.known || lookup[String(target)] !== undefined) continue;
    return failed(`${placeOf(position)}.$ref points to ${shown($ref)}, where there is no schema`);
  }
  return undefined;
}

function checkInfo(schema: JsonObject, lookup: Lookup, info: JsonObject): CatalogRefusal | undefined {
  const { valid, errors } = validate(info, schema, '2020-12', lookup, true);
  if (valid) return undefined;
  const error = errors.find(({ keyword }) => !FORWARDING.has(keyword)) ?? errors[0]!;
  const place = dotted('info', decodeURIComponent(error.instanceLocation.slice(1)));
  if (error.keyword === 'false') return failed(`${place} is not allowed by schema`);
  return failed(`${place} does not satisfy schema (${error.keyword}): ${error.error}`);
}

type Lookup = ReturnType<typeof dereference>;

/** Keywords whose error only says that the next error, deeper down, gives the reason. */
const FORWARDING = new Set([
  '$ref',
  'allOf',
  'properties',
  'additionalProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'unevaluatedItems',
  'if',
]);

/** Returns a JSON pointer in dotted form, for people. */
function dotted(root: string, pointer: string): string {
  const steps = pointer.split('/').slice(1);
  return [root, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))].join('.');
}
