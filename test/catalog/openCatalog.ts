import type { ListRequest, SearchRequest } from '../../src/catalog/requests.ts';
import { createOperations, type Operations } from '../../src/catalog/operations.ts';
import type { PutResult, Store } from '../../src/catalog/store.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { namesOf, settlementOf, type Draft } from './drafts.ts';
import { readParts } from './pages.ts';
import type { StoreOptions } from '../../src/catalog/sqlite/store.ts';
import type { StoreKind } from './stores.ts';

/** The catalog's operations over one connection, with answers as they are read. */
export interface Connection {
  readonly store: Store;
  readonly submit: Operations['submit'];
  /** Settles in sequence, in one transaction. */
  put(...drafts: readonly Draft[]): PutResult[];
  list(request?: Partial<ListRequest>): DiscoveryListResponse;
  /** Returns undefined if the cursor is refused. */
  search(query: string, request?: Partial<SearchRequest>): DiscoverySearchResponse | undefined;
  /** The names of a first page. */
  found(query: string, request?: Partial<SearchRequest>): string[];
}

export interface TestCatalog extends Connection, Disposable {
  /** A further connection, where the kind of store lasts. */
  connect(): Connection;
}

/** An empty catalog. */
export function openCatalog(kind: StoreKind, options?: StoreOptions): TestCatalog {
  const place = kind.place(options);
  const connect = (): Connection => connection(place.connect());
  return { ...connect(), connect, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

function connection(store: Store): Connection {
  const operations = createOperations(store);
  const { submit, list, search } = operations;
  const searched = (query: string, request?: Partial<SearchRequest>): DiscoverySearchResponse | undefined => {
    const answer = search({ query, filters: {}, ...request });
    return 'code' in answer ? undefined : readParts<DiscoverySearchResponse>(operations, answer);
  };
  return {
    store,
    submit,
    put: (...drafts) => store.put(drafts.map(settlementOf)),
    list: (request) => readParts<DiscoveryListResponse>(operations, list({ filters: {}, ...request })),
    search: searched,
    found: (query, request) => namesOf(searched(query, request)?.resources ?? []),
  };
}

export type WalkRequest = Partial<SearchRequest> & {
  /** Of the pages, in turn. */
  readonly limits?: readonly number[];
};

const MAX_PAGES = 20_000;

/** The pages of a walk along the cursors to its end; `between` runs after each page but the last. */
export function pagesOf(
  { search }: Pick<Connection, 'search'>,
  query: string,
  { limits = [20], ...request }: WalkRequest = {},
  between: (page: number) => void = () => {},
): DiscoverySearchResponse[] {
  const pages: DiscoverySearchResponse[] = [];
  let cursor: string | null = null;
  do {
    const limit = limits[pages.length % limits.length]!;
    const page = search(query, { ...request, limit, ...(cursor !== null && { cursor }) });
    if (page === undefined) throw new Error(`the cursor of page ${pages.length} is refused`);
    pages.push(page);
    if (pages.length > MAX_PAGES) throw new Error('the walk does not end');
    cursor = page.pagination.cursor;
    if (cursor !== null) between(pages.length);
  } while (cursor !== null);
  return pages;
}

/** The names on all pages of a walk. */
export function walk(...of: Parameters<typeof pagesOf>): string[] {
  return pagesOf(...of).flatMap(({ resources }) => namesOf(resources));
}
