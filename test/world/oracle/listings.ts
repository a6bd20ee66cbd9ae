import { canonicalUrl } from '../../../src/catalog/declaration/resource.ts';
import type { DiscoveryResource, FacilitatorRequest } from '../../../src/contract/index.ts';

/** A settled payment that has earned its resource a listing. */
export interface Earned {
  readonly request: FacilitatorRequest;
  readonly closedAtSeconds: number;
}

/** Says which listings are not as they were earned: with the terms of all payments and the words of the latest one. */
export function wrongListings(earned: readonly Earned[], listings: readonly DiscoveryResource[]): string[] {
  const byResource = Map.groupBy(earned, ({ request }) => canonicalUrl(new URL(resourceIn(request).url)));
  const listed = new Set(listings.map(({ resource }) => resource));
  const missing = [...byResource.keys()].filter((resource) => !listed.has(resource));
  const twice = listings.length - listed.size;
  return [
    ...(twice > 0 ? [`catalog: ${twice} listings are there twice`] : []),
    ...missing.map((resource) => `catalog: ${resource} was paid for and is not listed`),
    ...listings.flatMap((item) => {
      const paid = byResource.get(item.resource);
      return paid
        ? wrongListing(item, paid)
        : [`catalog: ${item.resource} is listed, and nobody paid for it`];
    }),
  ];
}

function wrongListing(
  { resource, accepts, description }: DiscoveryResource,
  paid: readonly Earned[],
): string[] {
  const terms = (one: object): string => JSON.stringify(one);
  const due = new Set(paid.map(({ request }) => terms(request.paymentRequirements)));
  const shown = new Set(accepts.map(terms));
  const hasTerms = due.size === shown.size && [...due].every((one) => shown.has(one));
  const latest = Math.max(...paid.map(({ closedAtSeconds }) => closedAtSeconds));
  const words = paid
    .filter(({ closedAtSeconds }) => closedAtSeconds === latest)
    .map(({ request }) => resourceIn(request).description);
  return [
    ...(hasTerms ? [] : [`catalog: ${resource} has other terms than were paid`]),
    ...(words.includes(description ?? '')
      ? []
      : [`catalog: ${resource} says "${description}", the latest payment "${words.join('" or "')}"`]),
  ];
}

const resourceIn = ({ paymentPayload }: FacilitatorRequest): { url: string; description: string } =>
  paymentPayload.resource as { url: string; description: string };
