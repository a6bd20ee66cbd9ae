import type { DatabaseSync } from 'node:sqlite';
import { openAlone, openFile, openToRead, pragma, unusable, type FileKind } from '../store/sqliteFile.ts';
import { EVENT_TABLE } from './events/table.ts';
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
  // Stroops by budget and day (UTC): what open entries may cost, and what ended ones did cost. 'caller' is null in older
  // entries, which count for nothing.
  `CREATE TABLE fee_total (
     name TEXT PRIMARY KEY, -- such as "service 2026-11-23"
     day TEXT NOT NULL,
     stroops INTEGER NOT NULL
   ) WITHOUT ROWID;
   ALTER TABLE entry ADD COLUMN caller TEXT;
   ALTER TABLE entry ADD COLUMN counted_stroops INTEGER NOT NULL DEFAULT 0;
   CREATE TRIGGER entry_opened AFTER INSERT ON entry WHEN NEW.caller IS NOT NULL BEGIN
     ${count('NEW', 'NEW.counted_stroops')}
   END;
   CREATE TRIGGER entry_counted AFTER UPDATE OF counted_stroops ON entry WHEN NEW.caller IS NOT NULL BEGIN
     ${count('OLD', '-OLD.counted_stroops')}
     ${count('NEW', 'NEW.counted_stroops')}
   END`,
  // The keys of callers, whose statements are in src/callers. 'change' counts what was made and revoked.
  `CREATE TABLE caller_key (
     id TEXT PRIMARY KEY,
     change INTEGER NOT NULL UNIQUE,
     name TEXT NOT NULL,
     secret_hash BLOB NOT NULL,
     verifies_per_minute INTEGER,
     settles_per_minute INTEGER,
     settlements_in_flight INTEGER,
     connections INTEGER,
     fee_budget_stroops INTEGER,
     created_at_ms INTEGER NOT NULL,
     revoked_at_ms INTEGER
   )`,
  // Null in older entries: what a settlement moves, who asked for it and when, and why it did not settle.
  `ALTER TABLE entry ADD COLUMN pay_to TEXT;
   ALTER TABLE entry ADD COLUMN amount TEXT; -- base units
   ALTER TABLE entry ADD COLUMN asset TEXT;
   ALTER TABLE entry ADD COLUMN resource TEXT; -- URL
   ALTER TABLE entry ADD COLUMN request_id TEXT;
   ALTER TABLE entry ADD COLUMN asked_at INTEGER;
   ALTER TABLE entry ADD COLUMN verified_at INTEGER;
   ALTER TABLE entry ADD COLUMN code TEXT;
   ALTER TABLE entry ADD COLUMN message TEXT;
   -- What became of its listing, and when; null while it is due, and if there is none.
   ALTER TABLE entry ADD COLUMN listing_status TEXT; -- success, rejected or given up
   ALTER TABLE entry ADD COLUMN listed_at INTEGER;
   CREATE INDEX entry_opened_at ON entry (opened_at);
   CREATE INDEX entry_payer ON entry (payer, opened_at);
   CREATE INDEX entry_pay_to ON entry (pay_to, opened_at);
   CREATE INDEX entry_caller ON entry (caller, opened_at);
   CREATE INDEX entry_unsettled ON entry (opened_at) WHERE status IS DISTINCT FROM 'success';
   CREATE INDEX entry_failed ON entry (ended_at) WHERE status = 'failed';
   -- Finds the pending ones among very many that did not settle.
   CREATE INDEX entry_pending ON entry (opened_at) WHERE status IS NULL;
   -- Counts what ledgers took without reading entries.
   CREATE INDEX entry_closed ON entry (closed_at, ledger, status) WHERE closed_at IS NOT NULL`,
  EVENT_TABLE,
  "CREATE INDEX entry_settled ON entry (authorization) WHERE status = 'success'",
  // Finds all transactions of a payment, also those that did not settle it.
  'DROP INDEX entry_settled; CREATE INDEX entry_authorization ON entry (authorization)',
  // What callers name settlements by, and what they were answered. Hashes are SHA-256, in hex.
  `ALTER TABLE entry ADD COLUMN key_hash TEXT; -- null without a key
   CREATE TABLE keyed_answer (
     id INTEGER PRIMARY KEY,
     caller TEXT NOT NULL,
     key_hash TEXT NOT NULL,
     body_hash TEXT NOT NULL,
     authorization TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     answer TEXT, -- JSON; null until a ledger has decided
     is_settled INTEGER NOT NULL DEFAULT 0,
     UNIQUE (caller, key_hash)
   );
   CREATE INDEX keyed_answer_created_at ON keyed_answer (created_at);
   CREATE INDEX keyed_answer_newest ON keyed_answer (caller, id)`,
  // By which buyers name payments; null without one.
  `ALTER TABLE entry ADD COLUMN payment_identifier TEXT;
   CREATE INDEX entry_payment_identifier ON entry (pay_to, payment_identifier) WHERE payment_identifier IS NOT NULL`,
];

/** Adds stroops to the totals of an entry's caller and of the service. */
function count(entry: 'OLD' | 'NEW', stroops: string): string {
  const day = `date(${entry}.opened_at / 1000, 'unixepoch')`;
  return `INSERT INTO fee_total
    SELECT name || ' ' || ${day}, ${day}, ${stroops}
    FROM (SELECT ${entry}.caller AS name UNION ALL SELECT 'service') WHERE ${entry}.caller IS NOT NULL
    ON CONFLICT DO UPDATE SET stroops = stroops + excluded.stroops;`;
}

const KIND: FileKind = {
  name: 'journal',
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  tables: ['entry', 'fee_total', 'caller_key', 'event', 'keyed_answer'],
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

/** Makes the file if it is missing, and brings it up to date. Throws UnusableFile. */
export function prepareJournalFile(path: string): void {
  openFile(path, KIND).close();
}

/** Opens the file to read it, and keeps all other processes out. Throws UnusableFile. */
export const openJournalAlone = (path: string): DatabaseSync => openAlone(path, KIND);

/** Opens the file to read it, beside a service that uses it. Throws UnusableFile. */
export const openJournalToRead = (path: string): DatabaseSync => openToRead(path, KIND);

export const unusableJournal = (error: unknown): unknown => unusable(KIND, error);

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
