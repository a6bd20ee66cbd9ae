import { hash } from 'node:crypto';
import type { DiscoveryResource, PaymentRequirements } from '../contract/index.ts';
import type { Filters } from './requests.ts';

/** The only extension that listings carry. */
const LISTED_EXTENSION = 'bazaar';

/** The filters on terms. All of them must match the same entry of `accepts`. */
const TERMS = ['payTo', 'scheme', 'network'] as const;

// A facet is a combination of the filters on type and terms, as a short text. Each listing is entered under every facet
// that it matches, so any combination is looked up and never computed.

/** The facet without any filter. */
export const ALL_LISTINGS = 'all';
/** A facet without listings. */
const NO_LISTING = 'none';
/** Bytes kept of the SHA-256 of a facet's values: there may be many recipients, and their addresses are long. */
const FACET_BYTES = 16;

export function facetOf({ extensions, type, payTo, scheme, network }: Filters): string {
  if (extensions !== undefined && extensions !== LISTED_EXTENSION) return NO_LISTING;
  return facetText([type, payTo, scheme, network]);
}

/** Returns every facet of a listing, except ALL_LISTINGS. */
export function facetsOf({ type, accepts }: Pick<DiscoveryResource, 'type' | 'accepts'>): Set<string> {
  const facets = new Set(
    accepts.flatMap((terms) => [type, undefined].flatMap((of) => combinations(of, terms))),
  );
  facets.delete(ALL_LISTINGS);
  return facets;
}

function combinations(type: string | undefined, terms: PaymentRequirements): string[] {
  const subsets = TERMS.reduce<(string | undefined)[][]>(
    (chosen, name) =>
      chosen.flatMap((values) => [
        [...values, undefined],
        [...values, terms[name]],
      ]),
    [[type]],
  );
  return subsets.map(facetText);
}

function facetText(values: readonly (string | undefined)[]): string {
  if (values.every((value) => value === undefined)) return ALL_LISTINGS;
  const text = JSON.stringify(values.map((value) => value ?? null));
  return hash('sha256', text, 'buffer').subarray(0, FACET_BYTES).toString('base64url');
}
