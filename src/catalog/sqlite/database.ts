import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  CHECKPOINT_AT_BYTES,
  CHECKED_AT_START_LIMIT_BYTES,
  PAGE_CACHE_KIB,
  START_BUSY_TIMEOUT_MS,
} from '../limits.ts';
import { IN_MEMORY, UnusableDatabase } from '../databaseFile.ts';
import { canonicalUrl } from '../declaration/resource.ts';
import { MIGRATIONS } from './migrations.ts';
import { readItem, toolKey } from './put.ts';

/** Says in the file's header whose it is: "x402". */
const APPLICATION_ID = 0x78343032;

const TABLES = [
  'state',
  'listing',
  'new_listing',
  'earlier_wording',
  'word',
  'posting',
  'length',
  'facet',
  'member',
];

/**
 * Opens the catalog's file to write, makes or migrates it, and proves that it can be written. Waits for other
 * processes that do the same.
 */
export function openDatabase(path: string): DatabaseSync {
  const deadlineMs = performance.now() + START_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return open(path);
    } catch (error) {
      // Some locks of a file in the making, or in the closing, are refused without SQLite's own waiting.
      if (codeOf(error) !== BUSY || performance.now() > deadlineMs) throw unusable(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: START_BUSY_TIMEOUT_MS });
  try {
    checkOwner(db);
    // A listing that was reported outlives the process however it ends. The last ones before a power failure may be
    // lost, never the file: waiting for the disk at every commit would take most of a write's time.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    // The log is copied into the file when no settlement waits: see the store's `tidy`.
    db.exec('PRAGMA wal_autocheckpoint = 0');
    checkPages(db, path);
    migrate(db);
    checkTables(db);
    return tuned(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the same file to read. */
export function openReadOnly(path: string): DatabaseSync {
  return tuned(new DatabaseSync(path, { readOnly: true }));
}

/** Copies the write-ahead log into the file when it is long. Where readers are in the way, the next time will do. */
export function checkpoint(db: DatabaseSync): void {
  const path = db.location();
  if (path === null) return;
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > CHECKPOINT_AT_BYTES) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Runs `work` in a transaction, which is rolled back if it throws. */
export function transaction<T>(db: DatabaseSync, kind: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
  db.exec(kind);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function tuned(db: DatabaseSync): DatabaseSync {
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return db;
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function checkOwner(db: DatabaseSync): void {
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get() as { n: number };
  if (tables.n === 0) return;
  if (pragma(db, 'application_id') !== APPLICATION_ID)
    throw new UnusableDatabase('is a database of another program: name another file');
  const version = Number(pragma(db, 'user_version'));
  if (version > MIGRATIONS.length)
    throw new UnusableDatabase(
      `was written by a newer version of this service (format ${version}, this one knows ${MIGRATIONS.length}): start that version, or name another file`,
    );
}

/** A small file is read from end to end; a large one would hold up the start. */
function checkPages(db: DatabaseSync, path: string): void {
  if (path === IN_MEMORY || statSync(path).size > CHECKED_AT_START_LIMIT_BYTES) return;
  if (pragma(db, 'quick_check(1)') !== 'ok') throw corrupt();
}

function migrate(db: DatabaseSync): void {
  // Also where nothing is to be done: an immediate transaction that writes proves that writing works.
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // Another process may have been here meanwhile.
    checkOwner(db);
    const done = Number(pragma(db, 'user_version'));
    if (done < MIGRATIONS.length) defineFunctions(db);
    for (const step of MIGRATIONS.slice(done)) db.exec(step);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** SQL functions that the steps need. */
function defineFunctions(db: DatabaseSync): void {
  db.function('tool_key', { deterministic: true }, (toolName) => toolKey(String(toolName)));
  db.function('canonical_resource', { deterministic: true }, (resource) => {
    const url = URL.parse(String(resource));
    return url === null ? resource : canonicalUrl(url);
  });
  db.function('renamed_item', (text, resource) => {
    const item = readItem(String(text));
    return item === undefined ? text : JSON.stringify({ ...item, resource });
  });
}

function checkTables(db: DatabaseSync): void {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables.map(({ name }) => name));
  if (!TABLES.every((table) => names.has(table))) throw corrupt();
  if (db.prepare('SELECT 1 FROM state').get() === undefined) throw corrupt();
}

function corrupt(): UnusableDatabase {
  return new UnusableDatabase(
    'is damaged: put a backup in its place, or move it away to start an empty catalog',
  );
}

const BUSY = 5;

/** Result codes of SQLite (https://www.sqlite.org/rescode.html), the lowest byte of the extended ones. */
const REASONS: Readonly<Record<number, () => UnusableDatabase>> = {
  [BUSY]: () => new UnusableDatabase('is locked by another process: stop that, or wait until it has started'),
  8: () => new UnusableDatabase('cannot be written: name a file that this user may write to'),
  10: () =>
    new UnusableDatabase(
      'cannot be written, the disk fails or is full: look at the disk and make room, or name a file elsewhere',
    ),
  11: corrupt,
  13: () => new UnusableDatabase('cannot be written, the disk is full: make room, or name a file elsewhere'),
  14: () => new UnusableDatabase('cannot be opened: name a file in a folder that this user may write to'),
  26: () => new UnusableDatabase('is not a SQLite database: name another file, or move it away'),
};

function codeOf(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}

function unusable(error: unknown): unknown {
  const code = codeOf(error);
  return (code !== undefined && REASONS[code]?.()) || error;
}
