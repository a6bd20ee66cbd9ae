import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  BUSY_TIMEOUT_MS,
  CHECKED_AT_START_LIMIT_BYTES,
  LOG_LIMIT_BYTES,
  SPARE_LIMIT_BYTES,
  START_BUSY_TIMEOUT_MS,
} from './limits.ts';

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
  // Nothing is sent again from here, so the transaction itself is not needed. A payment that did not settle is never
  // listed.
  // Rewrites the file: some seconds for its 100,000 entries.
  `ALTER TABLE entry DROP COLUMN envelope;
   UPDATE entry SET listing = NULL WHERE listing IS NOT NULL AND status <> 'success'`,
  // Null in entries of before: then it is the payer.
  'ALTER TABLE entry ADD COLUMN party TEXT',
  // 0 or 1; null in entries of before, of which it is not known.
  'ALTER TABLE entry ADD COLUMN is_stellar_asset INTEGER',
];

/** Opens the file, makes or migrates it, and proves that it is whole and can be written. Throws UnusableJournal. */
export function openJournalFile(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: START_BUSY_TIMEOUT_MS });
    checkOwner(db);
    // What was written before the process was killed stays, however it was killed. After a power failure the last
    // entries may be gone, and the ledger alone knows of them.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
    checkPages(db, path);
    db.exec('BEGIN IMMEDIATE');
    // Another process may have been here meanwhile.
    const version = checkOwner(db);
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
    if (tablesIn(db, 'entry') === 0) throw new UnusableJournal(DAMAGED);
    giveBack(db);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof UnusableJournal ? error : unusable(error);
  }
}

/** SQLite uses free pages again. If there are many, a start gives them back. */
function giveBack(db: DatabaseSync): void {
  const spareBytes = Number(pragma(db, 'freelist_count')) * Number(pragma(db, 'page_size'));
  if (spareBytes <= SPARE_LIMIT_BYTES) return;
  try {
    db.exec('VACUUM');
  } catch {
    // Another process uses the file, or the disk has no room for the copy: the file keeps its size.
  }
}

/** Returns the version of the file. */
function checkOwner(db: DatabaseSync): number {
  if (tablesIn(db) > 0 && pragma(db, 'application_id') !== APPLICATION_ID)
    throw new UnusableJournal('is a database of another program: name another file');
  const version = Number(pragma(db, 'user_version'));
  if (version > MIGRATIONS.length)
    throw new UnusableJournal('was written by a newer version of this service: start that version');
  return version;
}

/** A small file is read from end to end; a large one would hold up the start. */
function checkPages(db: DatabaseSync, path: string): void {
  if (db.location() === null || statSync(path).size > CHECKED_AT_START_LIMIT_BYTES) return;
  if (pragma(db, 'quick_check(1)') !== 'ok') throw new UnusableJournal(DAMAGED);
}

const tablesIn = (db: DatabaseSync, name = '%'): number =>
  Number(db.prepare('SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE ?').get(name)!['n']);

const pragma = (db: DatabaseSync, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

const DAMAGED =
  'is damaged: put a backup in its place, or move it away to start an empty one, which knows nothing of settlements under way';
const UNWRITABLE = 'cannot be written: name a file in a folder that this user may write to';
const NO_ROOM = 'cannot be written, the disk fails or is full: look at the disk and make room';

/** By result codes of SQLite (https://www.sqlite.org/rescode.html), the lowest byte of the extended ones. */
const REASONS: Readonly<Record<number, string>> = {
  5: 'is locked by another process: stop that, or wait until it has started',
  8: UNWRITABLE,
  10: NO_ROOM,
  11: DAMAGED,
  13: NO_ROOM,
  14: UNWRITABLE,
  26: DAMAGED,
};

function unusable(error: unknown): UnusableJournal {
  const { errcode = -1, message } = error as Error & { errcode?: number };
  return new UnusableJournal(REASONS[errcode & 0xff] ?? `cannot be used (${message})`, { cause: error });
}
