import { journalPathOf } from '../../config/databasePath.ts';
import { openDatabaseRecords, openFileRecords, type OpenRecords, type Records } from '../../journal/index.ts';
import { SILENT_LOG } from '../../log/log.ts';
import { EXIT_CONFIG } from '../../process/exitCodes.ts';
import { IN_MEMORY } from '../../store/sqliteFile.ts';
import type { ProcessEnvironment } from '../command.ts';
import { Failure } from '../failure.ts';
import { requireFile } from '../requireFile.ts';
import { withStore } from '../withStore.ts';

/** Records that are in memory at a time. */
export const PAGE_RECORDS = 1_000;
/** A page may look at many rows, and only this command waits for it. */
const ANSWER_WITHIN_MS = 30_000;

/** Runs `work` on the records of the service that has this environment. Throws a Failure. */
export async function withRecords<Result>(
  environment: ProcessEnvironment,
  work: (records: Records) => Promise<Result>,
): Promise<Result> {
  const workOn = async ({ records, close }: OpenRecords): Promise<Result> => {
    try {
      return await work(records);
    } finally {
      await close();
    }
  };
  return withStore(environment, {
    inFile: async (dbPath) => workOn(openFileRecords(fileOf(dbPath))),
    inDatabase: async (url) => workOn(await openInDatabase(url)),
  });
}

const openInDatabase = (url: string): Promise<OpenRecords> =>
  openDatabaseRecords({ url, log: SILENT_LOG, limits: { answerWithinMs: ANSWER_WITHIN_MS } });

function fileOf(dbPath: string): string {
  if (dbPath === IN_MEMORY)
    throw new Failure(EXIT_CONFIG, `DB_PATH is ${IN_MEMORY}, whose journal only the service itself can read`);
  const path = journalPathOf(dbPath);
  requireFile(
    path,
    'there is no journal beside the file of DB_PATH: set DB_PATH or DATABASE_URL as for the service, and start the ' +
      'service once',
  );
  return path;
}
