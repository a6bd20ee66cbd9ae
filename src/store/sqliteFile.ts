/** Opens the service's SQLite files, all in the same way: checked, up to date, and proven writable. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** SQLite's name for a database that lives only in memory. */
export const IN_MEMORY = ':memory:';

/** Time that a start waits for another process that uses the file, and the pause between two attempts. */
const START_BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 20;
/** A file up to this size is checked from end to end at start. Checking a larger one would hold up the start. */
const CHECKED_AT_START_LIMIT_BYTES = 128 * 1024 * 1024;

export type FileName = 'catalog' | 'journal' | 'model' | 'budget';

/** One kind of file, and how to create it. */
export interface FileKind {
  name: FileName;
  /** Says in the file's header which program the file belongs to. */
  applicationId: number;
  /** Each step is the next version of the file. A step that was released never changes. */
  migrations: readonly string[];
  /** An undamaged file has all of these. */
  tables: readonly string[];
  /** Completes "is damaged: put a backup in its place, or move it away to start …". */
  startedInstead: string;
  /** True if a file with these tables also has the rows that it needs. */
  isWhole?(db: DatabaseSync): boolean;
  /** Defines the SQL functions that the migrations call. */
  defineFunctions?(db: DatabaseSync): void;
}

/** Reports a file that cannot be used as it is. The message says why and what to do, without the path. */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
  readonly file: FileName;
  constructor(file: FileName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.file = file;
  }
}

/** Opens a file for writing, or creates it. Waits for other processes that do the same. Throws UnusableFile. */
export function openFile(path: string, kind: FileKind): DatabaseSync {
  const deadlineMs = performance.now() + START_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return open(path, kind);
    } catch (error) {
      // While a file is being created or closed, SQLite refuses some locks without waiting.
      if (codeOf(error) !== BUSY || performance.now() > deadlineMs) throw unusable(kind, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

/**
 * Opens a file to read it, and keeps all other processes out until it is closed. Throws UnusableFile if one has it open,
 * or if an older version of this service wrote it.
 */
export function openAlone(path: string, kind: FileKind): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    // In this mode SQLite locks the whole file, even from those that only have it open.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA query_only = ON');
    checkOwner(db, kind);
    checkIsCurrent(db, kind, ', without DATABASE_URL');
    checkPages(db, path, kind);
    checkTables(db, kind);
    return db;
  } catch (error) {
    db.close();
    if (codeOf(error) !== BUSY) throw unusable(kind, error);
    throw new UnusableFile(kind.name, 'is open in another process: stop the service first', { cause: error });
  }
}

/**
 * Opens a file to read it beside the processes that use it. Writes nothing, and leaves no file behind. Throws
 * UnusableFile, also if an older version of this service wrote it.
 */
export function openToRead(path: string, kind: FileKind): DatabaseSync {
  const url = pathToFileURL(path);
  // Where no other process has a log, this one makes it. It could not remove it again without the right to write.
  url.searchParams.set('mode', existsSync(`${path}-wal`) ? 'ro' : 'rw');
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { timeout: START_BUSY_TIMEOUT_MS });
    db.exec('PRAGMA query_only = ON');
    checkOwner(db, kind);
    checkIsCurrent(db, kind);
    checkTables(db, kind);
    return db;
  } catch (error) {
    db?.close();
    throw unusable(kind, error);
  }
}

function open(path: string, kind: FileKind): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: START_BUSY_TIMEOUT_MS });
  try {
    checkOwner(db, kind);
    // Committed data survives, however the process ends. A power failure may lose the last entries, but never damages
    // the file. Waiting for the disk at every commit would take most of a write's time.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    checkPages(db, path, kind);
    migrate(db, kind);
    checkTables(db, kind);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Less is no room for a large listing, and what the index needs for it. */
const LEAST_ROOM_BYTES = 1024 * 1024;

function roomBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** Runs `work` in a transaction, and rolls it back if `work` throws. */
export function transaction<T>(db: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Writes the page of the file's header as it is. Throws if the file does not take it, or if its disk is full: the log
 * beside the file may have room for a page even then.
 */
export function checkWritable(db: DatabaseSync): void {
  const path = db.location();
  const leftBytes = path === null ? Infinity : roomBeside(path);
  if (leftBytes < LEAST_ROOM_BYTES)
    throw new Error(`its disk is full: ${Math.floor(leftBytes / 1024)} KiB are left`);
  db.exec(`PRAGMA user_version = ${Number(pragma(db, 'user_version'))}`);
}

export function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function checkOwner(db: DatabaseSync, { name, applicationId, migrations }: FileKind): void {
  if (tablesIn(db).size === 0) return;
  if (pragma(db, 'application_id') !== applicationId)
    throw new UnusableFile(name, 'is a database of another program: name another file');
  const version = Number(pragma(db, 'user_version'));
  if (version > migrations.length)
    throw new UnusableFile(
      name,
      `was written by a newer version of this service (format ${version}, this one knows ${migrations.length}): start that version, or name another file`,
    );
}

function checkIsCurrent(db: DatabaseSync, { name, migrations }: FileKind, how = ''): void {
  if (Number(pragma(db, 'user_version')) < migrations.length)
    throw new UnusableFile(
      name,
      `was written by an older version of this service: start this version on it once${how}`,
    );
}

function checkPages(db: DatabaseSync, path: string, kind: FileKind): void {
  if (path === IN_MEMORY || statSync(path).size > CHECKED_AT_START_LIMIT_BYTES) return;
  if (pragma(db, 'quick_check(1)') !== 'ok') throw damaged(kind);
}

function migrate(db: DatabaseSync, kind: FileKind): void {
  const { applicationId, migrations, defineFunctions } = kind;
  // Do this even if there are no steps to take: an immediate transaction that writes proves that writing works.
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // Another process may have changed the file meanwhile.
    checkOwner(db, kind);
    const done = Number(pragma(db, 'user_version'));
    if (done < migrations.length) defineFunctions?.(db);
    for (const step of migrations.slice(done)) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  });
}

function checkTables(db: DatabaseSync, kind: FileKind): void {
  const found = tablesIn(db);
  if (!kind.tables.every((table) => found.has(table))) throw damaged(kind);
  if (kind.isWhole?.(db) === false) throw damaged(kind);
}

function tablesIn(db: DatabaseSync): Set<unknown> {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Set(tables.map(({ name }) => name));
}

function damaged({ name, startedInstead }: FileKind): UnusableFile {
  return new UnusableFile(
    name,
    `is damaged: put a backup in its place, or move it away to start ${startedInstead}`,
  );
}

const BUSY = 5;
const CORRUPT = 11;
const NO_ROOM =
  'cannot be written, the disk fails or is full: look at the disk and make room, or name a file elsewhere';

/** Reasons by SQLite result code (https://www.sqlite.org/rescode.html): the lowest byte of the extended code. */
const REASONS: Readonly<Record<number, string>> = {
  [BUSY]: 'is locked by another process: stop that, or wait until it has started',
  8: 'cannot be written: name a file in a folder that this user may write to',
  10: NO_ROOM,
  13: NO_ROOM,
  14: 'cannot be opened: name a file in a folder that this user may write to',
  26: 'is not a SQLite database: name another file, or move it away',
};

function codeOf(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}

/** Returns the UnusableFile for an error of SQLite. Returns any other error as it is. */
export function unusable(kind: FileKind, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === CORRUPT) return damaged(kind);
  const reason = REASONS[code] ?? `cannot be used (${(error as Error).message})`;
  return new UnusableFile(kind.name, reason, { cause: error });
}
