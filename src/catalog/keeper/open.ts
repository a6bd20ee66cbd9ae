import type { Query } from '../../store/postgres.ts';
import { BETWEEN_STEPS_MS, KEEPER_LIMITS } from '../limits.ts';
import { openDatabase } from '../sqlite/database.ts';
import { createKeeperStore } from '../sqlite/keeper.ts';
import { adopt } from '../sqlite/replicaState.ts';
import type { Keeper } from './keeper.ts';
import { createLocalKeeper } from './local.ts';
import { createSharedKeeper } from './shared.ts';
import type { AskKeeper } from './store.ts';

export interface OpenKeeper {
  readonly keeper: Keeper;
  close(): void;
}

/**
 * Opens the keeper of a catalog's file, which the service may have open too. Each step waits up to `busyTimeoutMs` for
 * the service's writes. Throws UnusableFile.
 */
export function openKeeperInFile(path: string, { busyTimeoutMs }: { busyTimeoutMs: number }): OpenKeeper {
  const db = openDatabase(path);
  try {
    adopt(db, undefined);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    const store = createKeeperStore(db, KEEPER_LIMITS);
    const ask: AskKeeper = async (method, argument) => store[method](argument as never) as never;
    const keeper = createLocalKeeper({
      read: ask,
      write: ask,
      limits: KEEPER_LIMITS,
      pauseMs: BETWEEN_STEPS_MS,
    });
    return { keeper, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the keeper of a catalog that instances share, without an index. */
export const openSharedKeeper = (query: Query): Keeper =>
  createSharedKeeper({ query, limits: KEEPER_LIMITS });
