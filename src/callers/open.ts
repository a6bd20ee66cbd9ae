import type { Database } from '../store/postgres.ts';
import { openKnownKeys, type KnownKeys, type KnownKeysDeps } from './knownKeys.ts';
import { KEYS_CHANNEL, openPostgresKeys } from './postgresKeys.ts';
import { openSqliteKeys } from './sqliteKeys.ts';

/** A look takes microseconds: it reads what is new, and mostly that is nothing. */
const LOOK_AT_FILE_EVERY_MS = 500;
/** A look waits this long for another process, and the event loop with it. */
const FILE_BUSY_TIMEOUT_MS = 20;
/** The database also tells of changes. */
const LOOK_AT_DATABASE_EVERY_MS = 10_000;

type Log = KnownKeysDeps['log'];

/** Opens the keys in the journal's file, which must be up to date. */
export async function openKeysInFile(path: string, log: Log): Promise<KnownKeys> {
  const store = openSqliteKeys(path, { busyTimeoutMs: FILE_BUSY_TIMEOUT_MS });
  try {
    const known = await openKnownKeys({ store, lookEveryMs: LOOK_AT_FILE_EVERY_MS, log });
    return {
      ...known,
      close() {
        known.close();
        store.close();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** Opens the keys that instances share in a database. */
export function openSharedKeys(db: Database, log: Log): Promise<KnownKeys> {
  return openKnownKeys({
    store: openPostgresKeys(db),
    lookEveryMs: LOOK_AT_DATABASE_EVERY_MS,
    onChange: (look) => db.listener.on(KEYS_CHANNEL, look),
    log,
  });
}
