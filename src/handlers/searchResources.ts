import type { Catalog } from '../catalog/index.ts';
import type { Handlers } from '../contract/index.ts';
import { errorBody } from './errorBody.ts';
import { filterRefusal } from './filterRefusal.ts';

export function createSearchResources(catalog: Pick<Catalog, 'search'>): Handlers['searchResources'] {
  return async ({ query: { query, limit, cursor, ranking, ...filters }, caller }) => {
    const refusal = filterRefusal(filters);
    if (refusal !== undefined) return { status: 400, body: errorBody(refusal) };
    const asked = ranking === 'lexical' ? ranking : undefined;
    const page = await catalog.search({ query, filters, limit, cursor, ranking: asked }, caller);
    if ('code' in page) return { status: page.code === 'svc_overloaded' ? 503 : 400, body: errorBody(page) };
    return { status: 200, body: page };
  };
}
