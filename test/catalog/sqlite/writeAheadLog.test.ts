import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog } from '../../../src/catalog/index.ts';
import { CHECKPOINT_AT_BYTES } from '../../../src/catalog/limits.ts';
import { openDatabase, openReadOnly } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import type { Store } from '../../../src/catalog/store.ts';
import { settlementOf } from '../drafts.ts';
import { settledPayment } from '../settledPayments.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

interface Opened {
  readonly path: string;
  readonly store: Store;
  logBytes(): number;
}

/** A catalog in a file, until the test ends. */
function open(): Opened {
  const path = join(temporaryFolder(), 'catalog.db');
  const store = createSqliteStore(openDatabase(path));
  onTestFinished(() => store.close());
  return { path, store, logBytes: () => statSync(`${path}-wal`).size };
}

let listed = 0;

/** A settlement as it comes in the service: one at a time. */
function put(store: Store): void {
  listed += 1;
  store.put([settlementOf({ name: `n${listed}`, description: `word${listed} common of${listed % 50}` })]);
}

const ENOUGH_PUTS = 30_000;

/** Settles until the log is longer than it may stay. */
function fill({ store, logBytes }: Opened): void {
  for (let count = 0; count < ENOUGH_PUTS && logBytes() <= CHECKPOINT_AT_BYTES; count += 1) put(store);
  expect(logBytes()).toBeGreaterThan(CHECKPOINT_AT_BYTES);
}

const fileBytes = (path: string): number => statSync(path).size;

/** A transaction that reads, until it is ended. */
function beginReading(path: string): DatabaseSync {
  const db = openReadOnly(path);
  onTestFinished(() => db.close());
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM listing').get();
  return db;
}

test('the log is copied into the file once it is too long, and never by the write itself', () => {
  const opened = open();
  const { path, store, logBytes } = opened;
  put(store);
  const before = logBytes();
  store.tidy();
  expect(logBytes()).toBe(before);
  const { size } = statSync(path);
  fill(opened);
  expect(fileBytes(path)).toBe(size);
  store.tidy();
  expect(logBytes()).toBe(0);
  expect(fileBytes(path)).toBeGreaterThan(size);
});

test('a read that is under way puts it off, without a fault, until the next time', () => {
  const opened = open();
  const { path, store, logBytes } = opened;
  const reader = beginReading(path);
  fill(opened);
  store.tidy();
  expect(logBytes()).toBeGreaterThan(CHECKPOINT_AT_BYTES);
  put(store);
  reader.exec('COMMIT');
  store.tidy();
  expect(logBytes()).toBe(0);
});

test('a catalog in memory has no log', () => {
  const store = createSqliteStore(openDatabase(':memory:'));
  put(store);
  store.tidy();
  expect(store.list({}, 0, 1).total).toBe(1);
  store.close();
});

/** Reads all the time, one transaction after the other, and says how many there were. */
const READER = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const { path, counts } = workerData;
const db = new DatabaseSync(path, { readOnly: true });
const select = db.prepare('SELECT sum(length(item)) FROM listing');
while (Atomics.load(counts, 0) === 0) {
  db.exec('BEGIN');
  select.get();
  db.exec('COMMIT');
  Atomics.add(counts, 1, 1);
}
db.close();
`;

test('it stays bounded while others read all the time', async () => {
  const { path, store, logBytes } = open();
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const readers = [1, 2].map(() => new Worker(READER, { eval: true, workerData: { path, counts } }));
  onTestFinished(async () => {
    Atomics.store(counts, 0, 1);
    await Promise.all(readers.map((reader) => reader.terminate()));
  });
  await vi.waitUntil(() => Atomics.load(counts, 1) > 0);
  const [read, size] = [Atomics.load(counts, 1), fileBytes(path)];
  let longest = 0;
  let written = 0;
  for (let count = 0; count < ENOUGH_PUTS && written <= 2 * CHECKPOINT_AT_BYTES; count += 1) {
    const before = logBytes();
    put(store);
    longest = Math.max(longest, logBytes());
    written += Math.max(0, logBytes() - before);
    store.tidy();
  }
  expect(Atomics.load(counts, 1)).toBeGreaterThan(read);
  expect(written).toBeGreaterThan(2 * CHECKPOINT_AT_BYTES);
  expect(longest).toBeLessThan(2 * CHECKPOINT_AT_BYTES);
  expect(fileBytes(path)).toBeGreaterThan(size);
});

/** Rounds in which a machine that is busy may be late. */
const MAX_ROUNDS = 20;

test('the thread that writes copies it after it has answered, so that no settlement waits for readers', async () => {
  const opened = open();
  fill(opened);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const catalog = await openCatalog({ dbPath: opened.path, log });
  onTestFinished(() => catalog.close());
  const wasCopied = (): boolean => opened.logBytes() === 0;
  for (let round = 0; round < MAX_ROUNDS && !wasCopied(); round += 1) {
    // A copy that came before the answer would find this read in its way.
    const reader = beginReading(opened.path);
    await catalog.submit(settledPayment({ key: `key${round}`, payTo: 'GALICE' }));
    reader.exec('COMMIT');
    await vi.waitUntil(wasCopied, { timeout: 300, interval: 10 }).catch(() => {});
  }
  expect(wasCopied()).toBe(true);
});
