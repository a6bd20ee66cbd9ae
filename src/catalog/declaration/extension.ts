import type { CatalogRefusal } from '../listing.ts';
import { isObject } from './json.ts';
import { EXTENSIONS_LIMIT_BYTES } from './limits.ts';
import { refuse, shown } from './refusal.ts';

/** Refuses extensions that are too large. `extensionsText` is `paymentPayload.extensions` as compact JSON. */
export function checkExtensionsSize(extensionsText: string): CatalogRefusal | undefined {
  const bytes = Buffer.byteLength(extensionsText, 'utf8');
  if (bytes <= EXTENSIONS_LIMIT_BYTES) return undefined;
  return refuse(
    'bazaar_extensions_too_large',
    `extensions has ${bytes} bytes as JSON; at most ${EXTENSIONS_LIMIT_BYTES} are cataloged. Shorten examples and schemas.`,
  );
}

/** Refuses a value that is not an object with `info` and `schema`. Does not look at what they contain. */
export function checkExtension(bazaar: unknown): CatalogRefusal | undefined {
  if (!isObject(bazaar)) return notObject(`must be an object with info and schema, not ${shown(bazaar)}`);
  if (!Object.hasOwn(bazaar, 'info'))
    return notObject('has no info; declare there how the resource is called');
  if (!Object.hasOwn(bazaar, 'schema')) return notObject('has no schema; add a JSON Schema for info');
  return undefined;
}

function notObject(defect: string): CatalogRefusal {
  return refuse('bazaar_extension_not_object', `extensions.bazaar ${defect}`);
}
