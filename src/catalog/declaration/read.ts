import type { BazaarExtension } from '../../contract/index.ts';
import type { CatalogRefusal, Declaration } from '../listing.ts';
import { checkExtension } from './extension.ts';
import { readCall } from './invariants.ts';
import type { JsonObject } from './json.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';
import { readMetadata } from './metadata.ts';
import { canonicalUrl, readResourceUrl } from './resource.ts';
import { isRouteTemplate } from './routeTemplate.ts';
import { checkClientSchema } from './schema/check.ts';

/**
 * Reads the resource that a payment declares, or returns the first catalog rule that it breaks. Expects extensions that
 * passed `checkExtensionsSize`. A defect in the metadata or the route template drops only that field.
 *
 * `bazaar` is `paymentPayload.extensions.bazaar`, and `resource` is `paymentPayload.resource`: any JSON values. Throws
 * only if the machine gives no time to evaluate a schema.
 */
export function readDeclaration(
  bazaar: unknown,
  resource: unknown,
  allowsPrivateAddresses = true,
): Declaration | CatalogRefusal {
  const notExtension = checkExtension(bazaar);
  if (notExtension !== undefined) return notExtension;
  const { info, schema } = bazaar as JsonObject;

  const call = readCall(info);
  if (isRefusal(call)) return call;

  const schemaRefusal = checkClientSchema(schema, info as JsonObject);
  if (schemaRefusal !== undefined) return schemaRefusal;

  const url = readResourceUrl(resource, allowsPrivateAddresses);
  if (isRefusal(url)) return url;

  const extension = withoutBadTemplate(bazaar as JsonObject, url);
  return {
    resource: canonicalUrl(url, call.type === 'http' ? extension.routeTemplate : undefined),
    ...call,
    metadata: readMetadata(resource as JsonObject),
    bazaar: extension,
  };
}

function isRefusal<Read extends object>(read: Read | CatalogRefusal): read is CatalogRefusal {
  return 'code' in read;
}

/** Drops a route template that is invalid, or makes the canonical URL too long, as if it had not been declared. */
function withoutBadTemplate(bazaar: JsonObject, url: URL): BazaarExtension {
  const { routeTemplate, ...others } = bazaar;
  const isGood =
    isRouteTemplate(routeTemplate) && (url.origin + routeTemplate).length <= URL_LIMIT_CHARACTERS;
  return isGood ? bazaar : others;
}
