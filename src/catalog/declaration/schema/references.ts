import type { CatalogRefusal } from '../../listing.ts';
import { refuse, shown } from '../refusal.ts';
import { placeOf, schemaPositions, type Position } from './positions.ts';
import type { JsonObject } from '../json.ts';

const REFERENCES = ['$ref', '$id', '$dynamicRef', '$recursiveRef'];

/** Refuses a schema that points outside itself, or claims an address outside itself. Nothing is ever fetched. */
export function checkReferences(schema: JsonObject): CatalogRefusal | undefined {
  for (const position of schemaPositions(schema)) {
    for (const keyword of referencesAt(position)) {
      const target = position.schema[keyword];
      if (target === undefined || (typeof target === 'string' && target.startsWith('#'))) continue;
      return refuse(
        'bazaar_schema_validation_failed',
        `${shown(target)} is outside the schema; references start with # (${placeOf(position)}.${keyword})`,
      );
    }
  }
  return undefined;
}

/** Includes `id`, an address in old dialects, only where a schema is expected. Elsewhere it is an ordinary name. */
function referencesAt({ known }: Position): readonly string[] {
  return known ? [...REFERENCES, 'id'] : REFERENCES;
}
