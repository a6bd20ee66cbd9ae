import type { DiscoveryResource, PaymentRequirements } from '../contract/index.ts';
import type { Filters } from './catalog.ts';

/** The only extension that listings carry. */
const LISTED_EXTENSION = 'bazaar';

/** What the filters about terms look at: all within one entry of `accepts`. */
const TERMS = ['payTo', 'scheme', 'network'] as const;

/** A combination of filters as text. `all`: every listing matches; `none`: none can. */
export function facetOf({ extensions, type, payTo, scheme, network }: Filters): string {
  if (extensions !== undefined && extensions !== LISTED_EXTENSION) return 'none';
  return facetText([type, payTo, scheme, network]);
}

/** Every combination that a listing matches; `all` is left out. */
export function facetsOf({ type, accepts }: Pick<DiscoveryResource, 'type' | 'accepts'>): Set<string> {
  const facets = new Set(
    accepts.flatMap((terms) => [type, undefined].flatMap((of) => combinations(of, terms))),
  );
  facets.delete('all');
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
  return values.every((value) => value === undefined)
    ? 'all'
    : JSON.stringify(values.map((value) => value ?? null));
}
