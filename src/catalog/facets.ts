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
/**
 * A facet's name keeps 16 bytes of the SHA-256 of its values, as 22 digits: there may be many recipients, and their
 * addresses are long. Two bits of the last digit belong to these bytes.
 */
const FACET_DIGITS = 22;
const LAST_DIGIT_MASK = 0x30;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Terms whose facets a writer of many listings remembers. */
const REMEMBERED_TERMS = 10_000;

export function facetOf({ extensions, type, payTo, scheme, network }: Filters): string {
  if (extensions !== undefined && extensions !== LISTED_EXTENSION) return NO_LISTING;
  const values = [type, payTo, scheme, network];
  return values.every((value) => value === undefined) ? ALL_LISTINGS : facetText(JSON.stringify(values));
}

/** The facet of all listings that were imported. */
export const IMPORTED = 'imported';
/** Returns the facet of the listings that were imported from a source. */
export const facetOfSource = (source: string): string => facetText(JSON.stringify({ source }));

type Faceted = Pick<DiscoveryResource, 'type' | 'accepts' | 'source'>;

/** Returns every facet of a listing, except ALL_LISTINGS. */
export function facetsOf({ type, accepts, source }: Faceted): Set<string> {
  return new Set([
    ...accepts.flatMap((terms) => combinationsOf(type, terms).map(facetText)),
    ...importedFacets(source),
  ]);
}

const importedFacets = (source: string | undefined): string[] =>
  source === undefined ? [] : [IMPORTED, facetOfSource(source)];

/** Returns a function that works like `facetsOf`, and remembers the facets of terms that it met lately. */
export function createFacetsOf(): (listing: Faceted) => Iterable<string> {
  const remembered = new Map<string, readonly string[]>();

  function ofTerms(type: string, terms: Partial<Terms>): readonly string[] {
    const { payTo, ...others } = terms;
    const key = JSON.stringify([type, payTo, terms.scheme, terms.network]);
    const known = remembered.get(key);
    if (known !== undefined) return known;
    // Recipients are many, and all else that terms differ in is soon known.
    const facets =
      (payTo ?? undefined) === undefined
        ? combinationsOf(type, terms).map(facetText)
        : [...combinationsOf(type, terms, [JSON.stringify(payTo)]).map(facetText), ...ofTerms(type, others)];
    if (remembered.size >= REMEMBERED_TERMS) remembered.clear();
    remembered.set(key, facets);
    return facets;
  }

  return ({ type, accepts, source }) =>
    accepts.length === 1 && source === undefined
      ? ofTerms(type, accepts[0]!)
      : new Set([...accepts.flatMap((terms) => ofTerms(type, terms)), ...importedFacets(source)]);
}

type Terms = Pick<DiscoveryResource['accepts'][number], 'payTo' | 'scheme' | 'network'>;

/**
 * Returns the combinations of filters that match a listing of this type by these terms, each of them once. A filter on
 * the recipient is one of `recipients`, as JSON.
 */
function combinationsOf(
  ofListing: string,
  terms: Partial<Terms>,
  recipients = givenOrNot(terms.payTo),
): string[] {
  const [types, schemes, networks] = [ofListing, terms.scheme, terms.network].map(givenOrNot) as [
    string[],
    string[],
    string[],
  ];
  const combinations: string[] = [];
  for (const type of types)
    for (const payTo of recipients)
      for (const scheme of schemes)
        for (const network of networks) combinations.push(`[${type},${payTo},${scheme},${network}]`);
  return combinations.filter((combination) => combination !== NO_FILTERS);
}

const givenOrNot = (value: string | undefined): string[] =>
  (value ?? undefined) === undefined ? ['null'] : [JSON.stringify(value), 'null'];

/** Takes the values as JSON, null for those that are not given. */
function facetText(combination: string): string {
  // Faster than to cut the bytes and then encode them.
  const digest = hash('sha256', combination, 'base64url');
  const last = DIGITS.indexOf(digest[FACET_DIGITS - 1]!) & LAST_DIGIT_MASK;
  return digest.slice(0, FACET_DIGITS - 1) + DIGITS[last]!;
}
