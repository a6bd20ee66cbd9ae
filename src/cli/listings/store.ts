import { openKeeperInFile, openSharedKeeper, type Keeper } from '../../catalog/index.ts';
import type { ProcessEnvironment } from '../command.ts';
import { BUSY_TIMEOUT_MS, withCatalog } from '../withCatalog.ts';

/** Runs `work` on the catalog of the service that has this environment. Throws a Failure. */
export function withKeeper<Result>(
  environment: ProcessEnvironment,
  work: (keeper: Keeper) => Promise<Result>,
): Promise<Result> {
  return withCatalog(environment, {
    inFile: (dbPath) => inFile(dbPath, work),
    inDatabase: (query) => work(openSharedKeeper(query)),
  });
}

async function inFile<Result>(dbPath: string, work: (keeper: Keeper) => Promise<Result>): Promise<Result> {
  const { keeper, close } = openKeeperInFile(dbPath, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await work(keeper);
  } finally {
    close();
  }
}
