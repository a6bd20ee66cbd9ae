import { SILENT_LOG } from '../log/log.ts';
import { EXIT_CONFIG, EXIT_FAILED } from '../process/exitCodes.ts';
import { createDatabase, type Query } from '../store/postgres.ts';
import { migrate } from '../store/postgresMigrations.ts';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { ProcessEnvironment } from './command.ts';
import { Failure } from './failure.ts';
import { requireFile } from './requireFile.ts';
import { withStore } from './withStore.ts';

/** A command waits this long while the service writes. */
export const BUSY_TIMEOUT_MS = 5_000;
/** A list may look at all listings of a large catalog. */
const ANSWER_WITHIN_MS = 60_000;

/** SQLite's code for a file that another process writes. */
const BUSY = 5;

/** Does the work of a command in the catalog of either store. */
interface InCatalog<Result> {
  inFile(dbPath: string): Promise<Result>;
  inDatabase(query: Query): Promise<Result>;
}

/** Works on the catalog of the service that has this environment. Throws a Failure if it cannot be used. */
export async function withCatalog<Result>(
  environment: ProcessEnvironment,
  { inFile, inDatabase }: InCatalog<Result>,
): Promise<Result> {
  try {
    return await withStore(environment, {
      inFile(dbPath) {
        checkFile(dbPath);
        return inFile(dbPath);
      },
      inDatabase: (url) => onDatabase(url, inDatabase),
    });
  } catch (error) {
    throw isBusy(error) ? new Failure(EXIT_FAILED, STILL_BUSY) : error;
  }
}

const STILL_BUSY = `the catalog was busy for ${BUSY_TIMEOUT_MS / 1_000} s, and the command may be done only in part: run it again`;

async function onDatabase<Result>(url: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  const db = createDatabase({ url, log: SILENT_LOG, limits: { answerWithinMs: ANSWER_WITHIN_MS } });
  try {
    await migrate(db);
    return await work(db.query);
  } finally {
    await db.close();
  }
}

function checkFile(dbPath: string): void {
  if (dbPath === IN_MEMORY)
    throw new Failure(
      EXIT_CONFIG,
      `DB_PATH is ${IN_MEMORY}, which only the service itself can read: name a file, or set DATABASE_URL`,
    );
  requireFile(dbPath, 'DB_PATH names no file: set it as for the service, and start the service once');
}

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === BUSY;
}
