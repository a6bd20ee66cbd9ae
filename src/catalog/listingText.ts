import type { PaymentPayload, PaymentRequirements } from '../contract/index.ts';
import { checkExtensionsSize } from './declaration/extension.ts';
import { isObject } from './declaration/json.ts';
import { boundedResource } from './declaration/resource.ts';
import { boundedTerms } from './item.ts';
import type { ListingRequest } from './listing.ts';

interface Asked {
  paymentPayload: Pick<PaymentPayload, 'resource' | 'extensions'>;
  paymentRequirements: PaymentRequirements;
}

/**
 * Returns the part of a request that its listing is made from, as compact text of at most 96 KiB: 64 KiB for the
 * extension and 32 KiB for all else. It makes the same listing, and has the same defects, as the whole request. Returns
 * undefined if the request asks for no listing. If the extension is too large, returns the refusal to submit instead.
 */
export function listingTextOf({
  paymentPayload: { resource, extensions },
  paymentRequirements,
}: Asked): string | ListingRequest | undefined {
  if (!carriesBazaar(extensions)) return undefined;
  const refusal = checkExtensionsSize(JSON.stringify(extensions));
  const kept = { resource: boundedResource(resource), requirements: boundedTerms(paymentRequirements) };
  // Write it as JSON and read it again: a slice of a text keeps all of it in memory while its settlement waits.
  if (refusal !== undefined)
    return JSON.parse(JSON.stringify({ ...kept, extensions: null, refusal })) as ListingRequest;
  return JSON.stringify({
    paymentPayload: { resource: kept.resource, extensions: { bazaar: extensions.bazaar } },
    paymentRequirements: kept.requirements,
  });
}

/** Reads what {@link listingTextOf} wrote. */
export function readListingText(text: string): ListingRequest {
  const { paymentPayload, paymentRequirements: requirements } = JSON.parse(text) as Asked;
  const { resource, extensions } = paymentPayload;
  return { resource, extensions, requirements };
}

export function carriesBazaar(extensions: unknown): extensions is { readonly bazaar: unknown } {
  return isObject(extensions) && Object.hasOwn(extensions, 'bazaar');
}
