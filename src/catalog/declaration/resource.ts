import { isPublicHostname } from '../../net/addresses.ts';
import type { CatalogRefusal } from '../listing.ts';
import { readHttpUrl } from './httpUrl.ts';
import { cut, isObject } from './json.ts';
import { URL_LIMIT_CHARACTERS } from './limits.ts';
import { readMetadata } from './metadata.ts';
import { refuse, shown } from './refusal.ts';

/** Reads `paymentPayload.resource.url`. `allowsPrivateAddresses` is true on testnet, where sellers may run locally. */
export function readResourceUrl(resource: unknown, allowsPrivateAddresses = true): URL | CatalogRefusal {
  if (!isObject(resource)) return invalid(`resource must be an object with a url, not ${shown(resource)}`);
  const url = readHttpUrl('resource.url', resource.url);
  if ('code' in url) return url;
  // A trailing dot stands for the DNS root, and names the same host.
  url.hostname = url.hostname.replace(/\.$/, '');
  if (!allowsPrivateAddresses && !isPublicHostname(url.hostname)) {
    return invalid(
      `resource.url must name a host of the public internet, not ${shown(url.hostname)}, which is private, link-local, loopback or reserved`,
    );
  }
  if (canonicalUrl(url).length > URL_LIMIT_CHARACTERS) {
    return invalid(
      `resource.url must have at most ${URL_LIMIT_CHARACTERS} characters once it is percent-encoded`,
    );
  }
  return url;
}

/** Returns the fields of `paymentPayload.resource` that are read, cut to a bounded size. Keeps their defects. */
export function boundedResource(resource: unknown): unknown {
  return isObject(resource) ? { ...readMetadata(resource), url: bounded(resource.url) } : bounded(resource);
}

function bounded(value: unknown): unknown {
  // A URL that was too long must stay too long, even if `cut` removes one more code unit.
  if (typeof value === 'string') return cut(value, URL_LIMIT_CHARACTERS + 2);
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

/**
 * Returns the URL that identifies a resource: its origin, and its path or the template that the path is an example of.
 * Leaves out query and fragment. Normalises as the URL standard does, and escapes as RFC 3986 (6.2.2) does.
 */
export function canonicalUrl(url: URL, routeTemplate?: string): string {
  const { pathname } = routeTemplate === undefined ? url : new URL(url.origin + routeTemplate);
  return url.origin + pathname.replace(ESCAPE, normalEscape);
}

/** Skips an escape after an incomplete one (`%` or `%x`): decoded, the two could form a new escape. */
const ESCAPE = /(?<!%|%[0-9a-f])%[0-9a-f]{2}/gi;
const UNRESERVED = /[a-z0-9\-._~]/i;

/** Decodes the escape of an unreserved character, which means the same. Keeps any other escape, in upper case. */
function normalEscape(escape: string): string {
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return UNRESERVED.test(character) ? character : escape.toUpperCase();
}

function invalid(message: string): CatalogRefusal {
  return refuse('bazaar_resource_url_invalid', message);
}
