import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { BETWEEN_STEPS_MS } from '../limits.ts';
import { rowsInFile } from '../shownListings.ts';
import { openDatabase } from '../sqlite/database.ts';
import { adopt } from '../sqlite/replicaState.ts';
import { createRewrite } from '../sqlite/rewrite.ts';
import { checkableIn } from './checkable.ts';
import { withStale } from './stale.ts';
import type { Checks } from './types.ts';

export interface OpenChecks {
  readonly checks: Checks;
  close(): void;
}

/**
 * Opens a catalog's file, which the service may have open too. Each read and each mark waits up to `busyTimeoutMs` for the
 * service's writes. Throws UnusableFile.
 */
export function openChecksInFile(path: string, { busyTimeoutMs }: { busyTimeoutMs: number }): OpenChecks {
  const db = openDatabase(path);
  try {
    adopt(db, undefined);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return { checks: createChecks(db), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

function createChecks(db: DatabaseSync): Checks {
  const rewrite = createRewrite(db);
  return {
    async *listings(after) {
      for (const rows of rowsInFile(db, after)) yield checkableIn(rows);
    },
    async mark({ id, item, text }, stale) {
      // Longer than the service waits before it tries to write again.
      await sleep(BETWEEN_STEPS_MS);
      return rewrite(id, (row) => (row.item === text ? withStale(item, stale) : undefined));
    },
  };
}
