import { expect } from 'vitest';
import { openChecksInFile, openSharedChecks, type Checks, type Stale } from '../../src/catalog/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import type { StoreOfKeys } from '../callers/stores.ts';
import { silent } from '../support/service.ts';

/** Marks all listings, as a check would that finds this. */
export async function markAll(
  { options: { dbPath, databaseUrl } }: Pick<StoreOfKeys, 'options'>,
  stale: Stale,
): Promise<void> {
  const mark = async (checks: Checks): Promise<void> => {
    for await (const listings of checks.listings(0))
      for (const listing of listings) expect(await checks.mark(listing, stale)).toBe(true);
  };
  if (databaseUrl === undefined) {
    const { checks, close } = openChecksInFile(dbPath!, { busyTimeoutMs: 5_000 });
    await mark(checks);
    close();
  } else {
    const db = createDatabase({ url: databaseUrl, log: silent });
    await mark(openSharedChecks(db.query));
    await db.close();
  }
}
