import { hash } from 'node:crypto';
import type { DiscoveryResource } from '../contract/index.ts';
import type { Filters } from './requests.ts';

/** The only extension that listings carry. */
const LISTED_EXTENSION = 'bazaar';

// A facet is a combination of the filters on type and terms, as a short text. The filters on terms must all match the
// same entry of `accepts`. Each listing is entered under every facet that it matches, so any combination is looked up
// and never computed.

/** The facet without any filter. */
export const ALL_LISTINGS = 'all';
const NO_FILTERS = JSON.stringify([null, null, null, null]);
/** A facet without listings. */
const NO_LISTING = 'none';
/** Bytes kept of the SHA-256 of a facet's values: there may be many recipients, and their addresses are long. */
const FACET_BYTES = 16;
/** Combinations whose texts a writer of many listings remembers. */
const REMEMBERED_FACETS = 20_000;

export function facetOf({ extensions, type, payTo, scheme, network }: Filters): string {
  if (extensions !== undefined && extensions !== LISTED_EXTENSION) return NO_LISTING;
  const values = [type, payTo, scheme, network];
  return values.every((value) => value === undefined) ? ALL_LISTINGS : facetText(JSON.stringify(values));
}

/** Returns every facet of a listing, except ALL_LISTINGS. */
export function facetsOf(
  { type: ofListing, accepts }: Pick<DiscoveryResource, 'type' | 'accepts'>,
  textOf = facetText,
): Set<string> {
  const combinations = new Set<string>();
  const types = givenOrNot(ofListing);
  for (const terms of accepts) {
    const [recipients, schemes, networks] = [terms.payTo, terms.scheme, terms.network].map(givenOrNot);
    for (const type of types)
      for (const payTo of recipients!)
        for (const scheme of schemes!)
          for (const network of networks!) combinations.add(`[${type},${payTo},${scheme},${network}]`);
  }
  combinations.delete(NO_FILTERS);
  return new Set(Array.from(combinations, textOf));
}

/** Returns a function that works like `facetsOf`, and remembers the texts of combinations that it met lately. */
export function createFacetsOf(): typeof facetsOf {
  const texts = new Map<string, string>();
  function textOf(combination: string): string {
    let text = texts.get(combination);
    if (text !== undefined) return text;
    if (texts.size >= REMEMBERED_FACETS) texts.clear();
    texts.set(combination, (text = facetText(combination)));
    return text;
  }
  return (listing) => facetsOf(listing, textOf);
}

const givenOrNot = (value: string | undefined): [string, string] => [JSON.stringify(value ?? null), 'null'];

/** Takes the values as JSON, null for those that are not given. */
function facetText(combination: string): string {
  return hash('sha256', combination, 'buffer').subarray(0, FACET_BYTES).toString('base64url');
}
