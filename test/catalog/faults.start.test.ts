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
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { startChild, type Child } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { settledPayment } from './settledPayments.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const ENV = { SUBMITTER_SECRET, RPC_URL: 'http://127.0.0.1:1/provider-key-of-20-chars', PORT: '0' };
/** No user of this machine, for tests that run as root, whom no permission stops. */
const NOBODY = 65_534;
/** In blocks of 512 bytes, as POSIX has it: no room for the tables. */
const FILE_LIMIT_BLOCKS = 16;

/** As `npm start` does it. */
function start(DB_PATH: string, uid?: number): Child {
  return startChild(process.execPath, ['src/main.ts'], { env: { ...ENV, DB_PATH }, uid });
}

/** It ends before it listens, with one line that says what to do and shows neither path nor secret. */
async function expectRefused(child: Child, line: RegExp): Promise<void> {
  const { code, lines, stderr } = await child.ended;
  expect({ stderr, code, lines }).toEqual({ stderr: expect.stringMatching(line), code: 78, lines: [] });
  expect(stderr.match(/\n/g)).toHaveLength(1);
  expect(stderr).not.toContain('catalog-');
  expect(stderr).not.toContain(SUBMITTER_SECRET);
}

const listing = (key: string) => settledPayment({ key, payTo: 'GALICE' });
const log = { info: () => {}, warn: () => {}, error: () => {} };

async function catalogWith(keys: readonly string[]): Promise<string> {
  const path = join(temporaryFolder(), 'catalog.db');
  const catalog = await openCatalog({ dbPath: path, log });
  for (const key of keys) expect(await catalog.submit(listing(key))).toEqual({ status: 'success' });
  await catalog.close();
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
  await expectRefused(
    start(path),
    /^DB_PATH is not a SQLite database: name another file, or move it away\n$/,
  );
  expect(statSync(path).size).toBe(17_000);
});

test.each([
  ['spoiled pages', 4_096 * 3, Buffer.alloc(4_096 * 4, 0xa5)],
  ['one spoiled page of many', 4_096 * 9, Buffer.alloc(4_096, 0xff)],
])('a damaged catalog: %s', async (_what, position, bytes) => {
  const path = await catalogWith(['one', 'two', 'three']);
  expect(statSync(path).size).toBeGreaterThan(position + bytes.length);
  write(path, bytes, position);
  const line = /^DB_PATH is damaged: put a backup in its place, or move it away to start an empty catalog\n$/;
  await expectRefused(start(path), line);
});

test('a damaged catalog: cut off', async () => {
  const path = await catalogWith(['one', 'two', 'three']);
  const half = Math.floor(statSync(path).size / 2);
  truncateSync(path, half);
  await expectRefused(start(path), /^DB_PATH is damaged: put a backup in its place, or move it away/);
});

test('a database of another program, which stays as it is', async () => {
  const path = join(temporaryFolder(), 'accounts.db');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE account (name TEXT); INSERT INTO account VALUES (1)');
  db.close();
  await expectRefused(start(path), /^DB_PATH is a database of another program: name another file\n$/);
  const again = new DatabaseSync(path);
  expect(again.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'account' }]);
  expect(again.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
  again.close();
});

test('a catalog of a newer version', async () => {
  const path = await catalogWith([]);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 999');
  db.close();
  await expectRefused(start(path), /^DB_PATH was written by a newer version of this service \(format 999, /);
});

test('a catalog that another process has locked, until it lets go', async () => {
  const path = await catalogWith(['one']);
  const db = new DatabaseSync(path);
  db.exec('BEGIN EXCLUSIVE');
  const line = /^DB_PATH is locked by another process: stop that, or wait until it has started\n$/;
  await expectRefused(start(path), line);
  db.close();
  const child = start(path);
  await child.line('{"level":"info"');
  child.kill('SIGTERM');
  expect((await child.ended).code).toBe(0);
});

test('a folder in the place of the file', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  mkdirSync(path);
  await expectRefused(start(path), /^DB_PATH is not a file\n$/);
});

test.each([
  ['file', 0o444, 0o755],
  ['folder', 0o644, 0o555],
])('a %s that this user may not write to', async (_what, fileMode, folderMode) => {
  const path = await catalogWith(['one']);
  chmodSync(path, fileMode);
  chmodSync(join(path, '..'), folderMode);
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  const line =
    /^DB_PATH cannot be (written|opened).*: name a file (in a folder )?that this user may write to.*\n$/;
  await expectRefused(start(path, uid), line).finally(() => chmodSync(join(path, '..'), 0o755));
});

test('a disk without room for the catalog', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const limited = `ulimit -f ${FILE_LIMIT_BLOCKS} && exec "$0" src/main.ts`;
  const child = startChild('/bin/sh', ['-c', limited, process.execPath], { env: { ...ENV, DB_PATH: path } });
  await expectRefused(child, /^DB_PATH cannot be written.*(disk|room)/);
});
