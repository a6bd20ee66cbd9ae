import type { CatalogRefusal } from '../../listing.ts';
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { refuse, shown } from '../refusal.ts';
import { checkNodes } from './budget.ts';
import { checkDialect } from './dialect.ts';
import { evaluate } from './evaluate.ts';
import { checkReferences } from './references.ts';

/**
 * The client's schema, and `info` by it (specification 4.6 rules 3 and 4). An empty schema demands nothing and passes; a
 * boolean is no object.
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
