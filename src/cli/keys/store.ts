import { openPostgresKeys, openSqliteKeys, type KeyStore } from '../../callers/index.ts';
import { databasePathProblem, journalPathOf } from '../../config/databasePath.ts';
import { prepareJournalFile } from '../../journal/index.ts';
import { SILENT_LOG } from '../../log/log.ts';
import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { createDatabase } from '../../store/postgres.ts';
import { migrate } from '../../store/postgresMigrations.ts';
import { IN_MEMORY } from '../../store/sqliteFile.ts';
import type { ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { requireFile } from '../requireFile.ts';
import { withStore } from '../withStore.ts';

/** The command waits this long while the service writes. */
const BUSY_TIMEOUT_MS = 5_000;

interface Options {
  /** Makes the file if there is none, since keys may be made before the first start. */
  readonly makesFile?: boolean;
}

/** Runs `work` on the keys of the service that has this environment. Throws a Failure. */
export async function withKeys<Result>(
  environment: ProcessEnvironment,
  work: (keys: KeyStore) => Promise<Result>,
  { makesFile = false }: Options = {},
): Promise<Result> {
  return withStore(environment, {
    inFile: (dbPath) => inFile(dbPath, work, makesFile),
    inDatabase: (url) => inDatabase(url, work),
  });
}

async function inDatabase<Result>(url: string, work: (keys: KeyStore) => Promise<Result>): Promise<Result> {
  const db = createDatabase({ url, log: SILENT_LOG });
  try {
    await migrate(db);
    return await work(openPostgresKeys(db));
  } finally {
    await db.close();
  }
}

async function inFile<Result>(
  dbPath: string,
  work: (keys: KeyStore) => Promise<Result>,
  makesFile: boolean,
): Promise<Result> {
  if (dbPath === IN_MEMORY)
    throw new Failure(
      EXIT_CONFIG,
      `DB_PATH is ${IN_MEMORY}, where no key outlives this command: name a file, or set DATABASE_URL`,
    );
  const path = journalPathOf(dbPath);
  const problem = makesFile ? databasePathProblem(dbPath) : undefined;
  if (problem !== undefined) throw new Failure(EXIT_CONFIG, `DB_PATH ${problem}`);
  if (!makesFile) requireFile(path, 'DB_PATH names no file of a service: set it as for the service');
  prepareJournalFile(path);
  const keys = openSqliteKeys(path, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await work(keys);
  } finally {
    keys.close();
  }
}
