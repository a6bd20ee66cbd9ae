import type { Catalog } from '../catalog/index.ts';
import type { Handlers, Refusal } from '../contract/index.ts';
import { errorBody } from './errorBody.ts';
import { filterRefusal } from './filterRefusal.ts';

export function createListResources(catalog: Pick<Catalog, 'list'>): Handlers['listResources'] {
  return async ({ query: { limit, offset, sort, cursor, facets, ...filters }, caller }) => {
    const refusal = filterRefusal(filters) ?? offsetRefusal(sort, offset);
    if (refusal !== undefined) return { status: 400, body: errorBody(refusal) };
    const page = await catalog.list({ filters, limit, offset, sort, cursor, facets }, caller);
    if ('code' in page) return { status: page.code === 'svc_overloaded' ? 503 : 400, body: errorBody(page) };
    return { status: 200, body: page };
  };
}

/** Payments move listings while somebody pages, so that an offset would skip some. */
function offsetRefusal(
  sort: string | undefined,
  offset = 0,
): Refusal<'svc_invalid_query_parameter'> | undefined {
  if (sort === undefined || offset === 0) return undefined;
  return {
    code: 'svc_invalid_query_parameter',
    message: 'offset does not go with sort: follow pagination.cursor.',
  };
}
