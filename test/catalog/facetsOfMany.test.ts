import { expect, test } from 'vitest';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import { createFacetsOf, facetsOf } from '../../src/catalog/facets.ts';

type Faceted = Pick<DiscoveryResource, 'type' | 'accepts' | 'source'>;

/** A damaged row may lack its recipient. It comes first: nothing is remembered by then. */
const RECIPIENTS = [null, undefined, 'GA', 'GB'];

const terms = RECIPIENTS.flatMap((payTo) =>
  ['exact', 'upto'].flatMap((scheme) =>
    ['n1', 'n2'].map((network) => ({ payTo, scheme, network }) as DiscoveryResource['accepts'][number]),
  ),
);
const listings: Faceted[] = ['http', 'mcp'].flatMap((type) =>
  terms.flatMap((one) => [
    { type, accepts: [one] },
    ...terms.map((other) => ({ type, accepts: [one, other] })),
    { type, accepts: [one], source: 'elsewhere' },
  ]),
);

test('a writer of many listings enters each under the facets that it has by itself, once', () => {
  const ofMany = createFacetsOf();
  for (const listing of listings) expect([...ofMany(listing)].sort()).toEqual([...facetsOf(listing)].sort());
});
