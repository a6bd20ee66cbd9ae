import type { Catalog } from '../catalog/index.ts';
import type { Journal } from '../journal/index.ts';

interface Deps {
  journal: Pick<Journal, 'unlisted' | 'listed'>;
  catalog: Pick<Catalog, 'submit'>;
}

/** Lists what settled while nobody waited for it, or just before an earlier process was killed. */
export async function listPending({ journal, catalog }: Deps): Promise<void> {
  for (const { hash, request } of journal.unlisted()) {
    const { paymentPayload, paymentRequirements: requirements } = request;
    const { resource, extensions } = paymentPayload;
    const outcome = await catalog.submit({ resource, extensions, requirements });
    if (outcome !== null) journal.listed(hash);
  }
}
