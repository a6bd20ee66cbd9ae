import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { configure } from '../../src/config/config.ts';
import { ENV, expectRefused, startInside, withoutRights } from '../support/refusedStart.ts';
import { startChild } from './child.ts';
import { settlementOf } from './drafts.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** In blocks of 512 bytes, as POSIX has it: no room for the tables. */
const FILE_LIMIT_BLOCKS = 16;

function catalogWith(keys: readonly string[]): string {
  const path = join(temporaryFolder(), 'catalog.db');
  const store = createSqliteStore(openDatabase(path));
  store.put(keys.map((name) => settlementOf({ name })));
  store.close();
  return path;
}

function write(path: string, bytes: Uint8Array, position: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

test('a file that is no database', async () => {
  const path = join(temporaryFolder(), 'notes.txt');
  writeFileSync(path, 'these are notes, '.repeat(1_000));
  expect(await startInside(path)).toBe('is not a SQLite database: name another file, or move it away');
  expect(statSync(path).size).toBe(17_000);
});

test.each([
  ['spoiled pages', 4_096 * 3, Buffer.alloc(4_096 * 4, 0xa5)],
  ['one spoiled page of many', 4_096 * 9, Buffer.alloc(4_096, 0xff)],
])('a damaged catalog: %s', async (_what, position, bytes) => {
  const path = catalogWith(['one', 'two', 'three']);
  expect(statSync(path).size).toBeGreaterThan(position + bytes.length);
  write(path, bytes, position);
  expect(await startInside(path)).toBe(
    'is damaged: put a backup in its place, or move it away to start an empty catalog',
  );
});

test('a damaged catalog: cut off', async () => {
  const path = catalogWith(['one', 'two', 'three']);
  const half = Math.floor(statSync(path).size / 2);
  truncateSync(path, half);
  expect(await startInside(path)).toMatch(/^is damaged: put a backup in its place, or move it away/);
});

test('a database of another program, which stays as it is', async () => {
  const path = join(temporaryFolder(), 'accounts.db');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE account (name TEXT); INSERT INTO account VALUES (1)');
  db.close();
  expect(await startInside(path)).toBe('is a database of another program: name another file');
  const again = new DatabaseSync(path);
  expect(again.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'account' }]);
  expect(again.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
  again.close();
});

test('a catalog of a newer version', async () => {
  const path = catalogWith([]);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 999');
  db.close();
  expect(await startInside(path)).toMatch(/^was written by a newer version of this service \(format 999, /);
});

test('a catalog that another process has locked, until it lets go', async () => {
  const path = catalogWith(['one']);
  const db = new DatabaseSync(path);
  db.exec('BEGIN EXCLUSIVE');
  expect(await startInside(path)).toBe(
    'is locked by another process: stop that, or wait until it has started',
  );
  db.close();
  expect(await startInside(path)).toBeUndefined();
});

test('a folder in the place of the file', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  mkdirSync(path);
  expect(await startInside(path)).toBe('is not a file');
});

test.each([
  ['a file', 'catalog.db', 0o755],
  ['a new file in a folder', 'new.db', 0o555],
])('%s that this user may not write to', (_what, name, folderMode) => {
  const folder = dirname(catalogWith(['one']));
  chmodSync(join(folder, 'catalog.db'), 0o444);
  chmodSync(folder, folderMode);
  const asked = () => configure({ ...ENV, DB_PATH: join(folder, name) });
  const text = 'cannot be written (EACCES): name a file in a folder that this user may write to, or :memory:';
  expect(withoutRights(asked)).toEqual({ problems: [{ variable: 'DB_PATH', text }] });
  chmodSync(folder, 0o755);
});

test('a disk without room for the catalog', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const limited = `ulimit -f ${FILE_LIMIT_BLOCKS} && exec "$0" dist/stellar-facilitator.js`;
  const child = startChild('/bin/sh', ['-c', limited, process.execPath], { env: { ...ENV, DB_PATH: path } });
  await expectRefused(child, /^DB_PATH cannot be written.*(disk|room)/);
});
