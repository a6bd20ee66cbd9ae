import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS, START_BUSY_TIMEOUT_MS } from './limits.ts';

/** A journal that cannot be used as it is. The message says why and what to do, without the path. */
export class UnusableJournal extends Error {
  override name = 'UnusableJournal';
}

/** Says in the file's header whose it is: "x40j". */
const APPLICATION_ID = 0x7834306a;

/** Steps that were released are never changed; each is the next version of the file. */
const MIGRATIONS = [
  `CREATE TABLE entry (
     id INTEGER PRIMARY KEY,
     hash TEXT NOT NULL UNIQUE,
     opened_at INTEGER NOT NULL,
     payer TEXT NOT NULL,
     authorization TEXT NOT NULL,
     submitter TEXT NOT NULL,
     sequence TEXT NOT NULL,
     inclusion_bid_stroops INTEGER NOT NULL,
     total_bid_stroops INTEGER NOT NULL,
     envelope TEXT NOT NULL,
     max_time_seconds INTEGER NOT NULL,
     last_ledger INTEGER NOT NULL,
     sent_in_ledger INTEGER NOT NULL,
     listing TEXT,
     ended_at INTEGER,
     status TEXT,
     reason TEXT,
     ledger INTEGER,
     fee_charged_stroops INTEGER
   );
   CREATE INDEX entry_unended ON entry (id) WHERE status IS NULL;
   CREATE INDEX entry_unlisted ON entry (id) WHERE status = 'success' AND listing IS NOT NULL;`,
  'ALTER TABLE entry ADD COLUMN closed_at INTEGER',
];

/** Opens the file, makes or migrates it, and proves that it can be written. Throws UnusableJournal. */
export function openJournalFile(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: START_BUSY_TIMEOUT_MS });
    // What was written before the process was killed stays, however it was killed. After a power failure the last
    // entries may be gone, and the ledger alone knows of them.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    db.exec('BEGIN IMMEDIATE');
    const [owner, version] = [pragma(db, 'application_id'), pragma(db, 'user_version')];
    const tables = Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()!['n']);
    if (tables > 0 && owner !== APPLICATION_ID)
      throw new UnusableJournal('is a database of another program: name another file');
    if (version > MIGRATIONS.length)
      throw new UnusableJournal('was written by a newer version of this service: start that version');
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof UnusableJournal) throw error;
    const { message } = error as Error;
    throw new UnusableJournal(`cannot be used (${message}): restore it from a backup, or name another file`, {
      cause: error,
    });
  }
}

const pragma = (db: DatabaseSync, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
