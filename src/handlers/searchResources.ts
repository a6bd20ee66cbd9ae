import type { Catalog } from '../catalog/index.ts';
import type { Handlers } from '../contract/index.ts';
import { defaultMessage } from './messages.ts';

export function createSearchResources(catalog: Pick<Catalog, 'search'>): Handlers['searchResources'] {
  return async ({ query: { query, limit, cursor, ...filters } }) => {
    const page = await catalog.search({ query, filters, limit, cursor });
    if (page !== null) return { status: 200, body: page };
    const code = 'svc_invalid_search_cursor';
    return { status: 400, body: { error: { code, reason: defaultMessage(code) } } };
  };
}
