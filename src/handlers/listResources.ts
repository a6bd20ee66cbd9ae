import type { Catalog } from '../catalog/index.ts';
import type { Handlers } from '../contract/index.ts';
import { errorBody } from './errorBody.ts';
import { filterRefusal } from './filterRefusal.ts';

export function createListResources(catalog: Pick<Catalog, 'list'>): Handlers['listResources'] {
  return async ({ query: { limit, offset, ...filters }, caller }) => {
    const refusal = filterRefusal(filters);
    if (refusal !== undefined) return { status: 400, body: errorBody(refusal) };
    const page = await catalog.list({ filters, limit, offset }, caller);
    return 'code' in page ? { status: 503, body: errorBody(page) } : { status: 200, body: page };
  };
}
