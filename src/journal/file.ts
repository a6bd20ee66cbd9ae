import type { DatabaseSync } from 'node:sqlite';
import { openAlone, openFile, pragma, type FileKind } from '../store/sqliteFile.ts';
import { BUSY_TIMEOUT_MS, LOG_LIMIT_BYTES, SPARE_LIMIT_BYTES } from './limits.ts';

/** Marks the file as the journal's, in its header: "x40j". */
const APPLICATION_ID = 0x7834306a;

/** Each step is the next version of the file. A step that was released never changes. */
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
  // listed. This rewrites the file, which takes some seconds for its 100,000 entries.
  `ALTER TABLE entry DROP COLUMN envelope;
   UPDATE entry SET listing = NULL WHERE listing IS NOT NULL AND status <> 'success'`,
  // Null in older entries: the party is then the payer.
  'ALTER TABLE entry ADD COLUMN party TEXT',
  // 0 or 1; null in older entries, which did not record it.
  'ALTER TABLE entry ADD COLUMN is_stellar_asset INTEGER',
];

const KIND: FileKind = {
  name: 'journal',
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  tables: ['entry'],
  startedInstead: 'an empty one, which knows nothing of settlements under way',
};

/** Opens the file, and shrinks it if much of it is unused. Throws UnusableFile. */
export function openJournalFile(path: string): DatabaseSync {
  const db = openFile(path, KIND);
  db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
  giveBack(db);
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return db;
}

/** Opens the file to read it, and keeps all other processes out. Throws UnusableFile. */
export const openJournalAlone = (path: string): DatabaseSync => openAlone(path, KIND);

/** Shrinks the file if it has many free pages. SQLite reuses them, but keeps the file's size. */
function giveBack(db: DatabaseSync): void {
  const spareBytes = Number(pragma(db, 'freelist_count')) * Number(pragma(db, 'page_size'));
  if (spareBytes <= SPARE_LIMIT_BYTES) return;
  try {
    db.exec('VACUUM');
  } catch {
    // Another process uses the file, or the disk has no room for the copy. The file keeps its size.
  }
}
