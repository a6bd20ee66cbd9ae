import type { Catalog } from '../catalog/index.ts';
import type { Handlers } from '../contract/index.ts';
import { errorBody } from './errorBody.ts';

export function createSearchResources(catalog: Pick<Catalog, 'search'>): Handlers['searchResources'] {
  return async ({ query: { query, limit, cursor, ...filters }, caller }) => {
    const page = await catalog.search({ query, filters, limit, cursor }, caller);
    if (page === 'overloaded') return { status: 503, body: errorBody('svc_overloaded') };
    if (page === null) return { status: 400, body: errorBody('svc_invalid_search_cursor') };
    return { status: 200, body: page };
  };
}
