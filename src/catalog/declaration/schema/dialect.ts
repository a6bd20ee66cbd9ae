import type { CatalogRefusal } from '../../listing.ts';
import type { JsonObject } from '../json.ts';
import { refuse, shown } from '../refusal.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Refuses any dialect but JSON Schema 2020-12, which the bazaar extension uses whether `$schema` names it or not. */
export function checkDialect({ $schema }: JsonObject): CatalogRefusal | undefined {
  if ($schema === undefined || $schema === '' || $schema === DIALECT || $schema === `${DIALECT}#`) {
    return undefined;
  }
  return refuse(
    'bazaar_schema_validation_failed',
    `schema.$schema must be ${DIALECT} or left out, not ${shown($schema)}`,
  );
}
