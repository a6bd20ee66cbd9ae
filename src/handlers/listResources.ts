import type { Catalog } from '../catalog/index.ts';
import type { Handlers } from '../contract/index.ts';

export function createListResources(catalog: Pick<Catalog, 'list'>): Handlers['listResources'] {
  return async ({ query: { limit, offset, ...filters } }) => ({
    status: 200,
    body: await catalog.list({ filters, limit, offset }),
  });
}
