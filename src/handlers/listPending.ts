import type { Catalog } from '../catalog/index.ts';
import type { Journal } from '../journal/index.ts';

interface Deps {
  journal: Pick<Journal, 'unlisted' | 'dueListing' | 'listed'>;
  catalog: Pick<Catalog, 'submit'>;
}

/**
 * Lists what settled while nobody waited for it, or just before an earlier process was killed. Where that was listed
 * all the same, or something later was, nothing changes. Asked for while it is at it, it looks once more.
 */
export function createListPending(deps: Deps): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAskedFor = false;

  async function run(): Promise<void> {
    while (isAskedFor) {
      isAskedFor = false;
      await listAll(deps);
    }
    running = undefined;
  }

  return () => {
    isAskedFor = true;
    running ??= run();
    return running;
  };
}

async function listAll({ journal, catalog }: Deps): Promise<void> {
  for (const hash of journal.unlisted()) {
    const due = journal.dueListing(hash);
    if (due === undefined) continue;
    const { request, ...times } = due;
    const { paymentPayload, paymentRequirements: requirements } = request;
    const { resource, extensions } = paymentPayload;
    const outcome = await catalog.submit({ resource, extensions, requirements, ...times });
    if (outcome !== null) journal.listed(hash);
  }
}
