/** Opens the records for a process beside the service. It writes nothing. */
import type { DatabaseDeps } from '../../store/postgres.ts';
import { checkIsCurrent } from '../../store/postgresMigrations.ts';
import { openJournalToRead, unusableJournal } from '../file.ts';
import { createPostgresRecords } from './postgres.ts';
import type { Records } from './record.ts';
import { createRecords } from './records.ts';
import { SQLITE_RECORDS } from './sqlite.ts';

export interface OpenRecords {
  readonly records: Records;
  close(): Promise<void>;
}

/** The journal's file must exist. Throws UnusableFile, as do the records. */
export function openFileRecords(path: string): OpenRecords {
  const db = openJournalToRead(path);
  const records = createRecords({
    ...SQLITE_RECORDS,
    query(statement, values) {
      try {
        return db.prepare(statement).all(...values);
      } catch (error) {
        throw unusableJournal(error);
      }
    },
  });
  return { records, close: async () => db.close() };
}

/**
 * Throws UnusableDatabase or DatabaseUnavailable, as do the records. Loads the database's client only here: the service
 * imports this file, too.
 */
export async function openDatabaseRecords(deps: DatabaseDeps): Promise<OpenRecords> {
  const { createDatabase } = await import('../../store/postgres.ts');
  const db = createDatabase(deps);
  try {
    await checkIsCurrent(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return { records: createPostgresRecords(db), close: () => db.close() };
}
