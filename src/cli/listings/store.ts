import { existsSync } from 'node:fs';
import { openKeeperInFile, openSharedKeeper, type Keeper } from '../../catalog/index.ts';
import { SILENT_LOG } from '../../log/log.ts';
import { EXIT_CONFIG, EXIT_FAILED } from '../../process/exitCodes.ts';
import { createDatabase } from '../../store/postgres.ts';
import { migrate } from '../../store/postgresMigrations.ts';
import { IN_MEMORY } from '../../store/sqliteFile.ts';
import type { ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { withStore } from '../withStore.ts';

/** The command waits this long while the service writes. */
const BUSY_TIMEOUT_MS = 5_000;
/** A list may look at all listings of a large catalog. */
const ANSWER_WITHIN_MS = 60_000;

/** SQLite's code for a file that another process writes. */
const BUSY = 5;

/** Runs `work` on the catalog of the service that has this environment. Throws a Failure. */
export async function withKeeper<Result>(
  environment: ProcessEnvironment,
  work: (keeper: Keeper) => Promise<Result>,
): Promise<Result> {
  try {
    return await withStore(environment, {
      inFile: (dbPath) => inFile(dbPath, work),
      inDatabase: (url) => inDatabase(url, work),
    });
  } catch (error) {
    throw isBusy(error) ? new Failure(EXIT_FAILED, STILL_BUSY) : error;
  }
}

const STILL_BUSY = `the catalog was busy for ${BUSY_TIMEOUT_MS / 1_000} s, and the command may be done only in part: run it again`;

async function inDatabase<Result>(url: string, work: (keeper: Keeper) => Promise<Result>): Promise<Result> {
  const db = createDatabase({ url, log: SILENT_LOG, limits: { answerWithinMs: ANSWER_WITHIN_MS } });
  try {
    await migrate(db);
    return await work(openSharedKeeper(db.query));
  } finally {
    await db.close();
  }
}

async function inFile<Result>(dbPath: string, work: (keeper: Keeper) => Promise<Result>): Promise<Result> {
  if (dbPath === IN_MEMORY)
    throw new Failure(
      EXIT_CONFIG,
      `DB_PATH is ${IN_MEMORY}, which only the service itself can read: name a file, or set DATABASE_URL`,
    );
  if (!existsSync(dbPath))
    throw new Failure(
      EXIT_CONFIG,
      'DB_PATH names no file: set it as for the service, and start the service once',
    );
  const { keeper, close } = openKeeperInFile(dbPath, { busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await work(keeper);
  } finally {
    close();
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === BUSY;
}
