import type { CatalogRefusal } from '../../listing.ts';
import { isObject, type JsonObject } from '../json.ts';
import { refuse, shown } from '../refusal.ts';
import { checkNodes } from './budget.ts';
import { checkDialect } from './dialect.ts';
import { evaluate } from './evaluate.ts';
import { checkReferences } from './references.ts';

/**
 * Checks the client's schema, and validates `info` against it. An empty schema demands nothing and passes. A boolean
 * schema is refused, since it is not an object.
 */
export function checkClientSchema(schema: unknown, info: JsonObject): CatalogRefusal | undefined {
  const refusal = checkNodes(schema);
  if (refusal !== undefined) return refusal;
  if (!isObject(schema)) {
    return refuse(
      'bazaar_schema_validation_failed',
      `schema must be an object, a JSON Schema for info, not ${shown(schema)}`,
    );
  }
  return checkDialect(schema) ?? checkReferences(schema) ?? evaluate(schema, info);
}
