import type { CatalogRefusal } from '../../listing.ts';
import type { JsonObject } from '../json.ts';
import { refuse, shown } from '../refusal.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** JSON Schema 2020-12 is the dialect of the bazaar extension, whether it is named or not. */
export function checkDialect({ $schema }: JsonObject): CatalogRefusal | undefined {
  if ($schema === undefined || $schema === '' || $schema === DIALECT || $schema === `${DIALECT}#`) {
    return undefined;
  }
  return refuse(
    'bazaar_schema_validation_failed',
    `schema.$schema must be ${DIALECT} or left out, not ${shown($schema)}`,
  );
}
