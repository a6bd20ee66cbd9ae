import type { Catalog, ListRequest, SearchRequest, SettledPayment } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse, Encoded } from '../../src/contract/index.ts';

/** A catalog that lists nothing, unless told otherwise, and remembers what it was asked. */
export interface CatalogDouble extends Catalog {
  readonly submitted: readonly SettledPayment[];
  readonly listed: readonly ListRequest[];
  readonly searched: readonly SearchRequest[];
}

export function catalogDouble(behaviour: Partial<Catalog> = {}): CatalogDouble {
  const submitted: SettledPayment[] = [];
  const listed: ListRequest[] = [];
  const searched: SearchRequest[] = [];
  const { submit, list, search, ...rest } = { ...emptyCatalog, ...behaviour };
  return {
    submitted,
    listed,
    searched,
    submit(settled) {
      submitted.push(settled);
      return submit(settled);
    },
    list(request) {
      listed.push(request);
      return list(request);
    },
    search(request) {
      searched.push(request);
      return search(request);
    },
    ...rest,
  };
}

/** As the catalog hands its answers over: UTF-8, here in the middle of other bytes. */
export function encoded<Body>(body: Body): Encoded<Body> {
  const text = Buffer.from(JSON.stringify(body));
  const around = new Uint8Array(text.length + 16).fill(0x2a);
  around.set(text, 7);
  return { json: around.subarray(7, 7 + text.length) };
}

/** What a search finds that matches nothing. */
export const nothingFound: DiscoverySearchResponse = {
  x402Version: 2,
  resources: [],
  partialResults: false,
  pagination: { limit: 0, cursor: null },
};

const emptyCatalog: Catalog = {
  submit: async () => undefined,
  list: async ({ limit = 20, offset = 0 }) =>
    encoded<DiscoveryListResponse>({
      x402Version: 2,
      items: [],
      pagination: { limit: Math.min(100, Math.max(1, limit)), offset, total: 0 },
    }),
  search: async () => encoded(nothingFound),
  state: () => ({
    listings: 0,
    hybrid: undefined,
    waiting: 0,
    areThreadsUp: true,
    hasFailed: false,
  }),
  countListings: async () => {},
  checkWritable: async () => {},
  // No test asks the double for it: it needs a store.
  keeper: undefined as never,
  sellers: { setHidden: async () => 'unknown', describe: async () => 'unknown' },
  proofs: undefined as never,
  close: async () => {},
};
