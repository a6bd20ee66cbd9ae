import type { DiscoveryResource, PaymentRequirements } from '../../contract/index.ts';
import { checkExtensionsSize } from '../declaration/extension.ts';
import { isObject, type JsonObject } from '../declaration/json.ts';
import { readDeclaration } from '../declaration/read.ts';
import { boundedTerms, X402_VERSION } from '../item.ts';
import { ACCEPTS_LIMIT_BYTES, IMPORT_LIMITS } from '../limits.ts';
import type { ImportedListing, ImportRefusal } from './types.ts';

/**
 * Reads an item of another facilitator's list, which may be any JSON value. The rules are those of a listing that is
 * paid for, and its host must be public. Nothing that only a facilitator can know is taken over, such as `verified`.
 */
export function readImported(item: unknown, source: string): ImportedListing | ImportRefusal {
  try {
    return isObject(item) ? readItem(item, source) : invalid('It is not an object.');
  } catch (error) {
    // Values in values in values, without end.
    if (error instanceof RangeError) return invalid('It is nested too deeply.');
    throw error;
  }
}

function readItem(item: JsonObject, source: string): ImportedListing | ImportRefusal {
  if (item['x402Version'] !== X402_VERSION) return invalid(`Its x402Version is not ${X402_VERSION}.`);
  const { extensions } = item;
  if (!isObject(extensions)) return invalid('Its extensions are not an object.');
  const { bazaar } = extensions;
  const tooLarge = checkExtensionsSize(JSON.stringify({ bazaar }));
  if (tooLarge !== undefined) return tooLarge;
  const declaration = readDeclaration(bazaar, { ...item, url: item['resource'] }, false);
  if ('code' in declaration) return declaration;
  const accepts = readTerms(item['accepts']);
  if (accepts === undefined) return invalid('Its accepts are not terms of payment, or are too many.');
  const { lastUpdated } = item;
  const updatedAtMs = typeof lastUpdated === 'string' ? Date.parse(lastUpdated) : NaN;
  if (!(updatedAtMs >= 0)) return invalid('Its lastUpdated is not a time since 1970.');

  const { resource, type, toolName, metadata } = declaration;
  return {
    key: { resource, type, toolName },
    item: {
      source,
      resource,
      type,
      x402Version: X402_VERSION,
      accepts,
      unverifiedAssets: [...new Set(accepts.map(({ asset }) => asset))],
      lastUpdated: new Date(Math.min(updatedAtMs, Date.now())).toISOString(),
      ...(metadata as Partial<DiscoveryResource>),
      extensions: { bazaar: declaration.bazaar },
    },
  };
}

/** Returns undefined if there are none, or if one of them lacks a field or has one of another type. */
function readTerms(value: unknown): PaymentRequirements[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > IMPORT_LIMITS.maxTerms) return undefined;
  if (!value.every(areTerms)) return undefined;
  const terms = value.map(boundedTerms);
  return Buffer.byteLength(JSON.stringify(terms)) <= ACCEPTS_LIMIT_BYTES ? terms : undefined;
}

/** CAIP-2 names, schemes and addresses of any network. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value);
const MAX_NETWORK_CHARACTERS = 64;

function areTerms(value: unknown): value is PaymentRequirements {
  if (!isObject(value)) return false;
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra = null } = value;
  return (
    [scheme, network, asset, payTo].every(isName) &&
    String(network).length <= MAX_NETWORK_CHARACTERS &&
    typeof amount === 'string' &&
    /^\d{1,39}$/.test(amount) &&
    Number.isFinite(maxTimeoutSeconds) &&
    (extra === null || isObject(extra))
  );
}

const invalid = (message: string): ImportRefusal => ({ code: 'import_invalid_listing', message });
