import { expect, onTestFinished } from 'vitest';
import { openCatalog, type Catalog, type CatalogDeps } from '../../src/catalog/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import type { StoreOfKeys } from '../callers/stores.ts';
import { silent } from '../support/service.ts';

/** Opens the catalog of a store as the service does, until the test ends. Resolves when it answers. */
export async function openOn(
  { options: { dbPath, databaseUrl } }: StoreOfKeys,
  deps: Partial<CatalogDeps> = {},
): Promise<Catalog> {
  const db = databaseUrl === undefined ? undefined : createDatabase({ url: databaseUrl, log: silent });
  const limits = { submitBudgetMs: 20_000 };
  const catalog = await openCatalog({ dbPath: dbPath!, log: silent, db, limits, ...deps });
  onTestFinished(async () => {
    await catalog.close();
    await db?.close();
  });
  await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
  return catalog;
}
