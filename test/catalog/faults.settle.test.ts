import { closeSync, copyFileSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import type { CatalogLog } from '../../src/catalog/log.ts';
import type { DiscoverySearchResponse } from '../../src/contract/index.ts';
import { ask, JSON_TYPE } from '../http/support.ts';
import { expectDocumented } from '../support/contract.ts';
import type { Facilitator } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { threads } from './controlledThreads.ts';
import { urlOf } from './drafts.ts';
import { bazaar } from './settledPayments.ts';

vi.mock('node:worker_threads', async (original) => {
  const { ControlledWorker } = await import('./controlledThreads.ts');
  return { ...(await original<object>()), Worker: ControlledWorker };
});

/** A catalog that was ended is away for a second. */
const RECOVERY = { timeout: 20_000, interval: 100 };
const LISTED = { bazaar: { status: 'success' } };
const INTERNAL_ERROR = { status: 500, body: { error: { code: 'svc_internal_error' } } };

const stage = useStage({ withFeeBump: false });
const settlements = settlementsOn(stage);

afterEach(() => {
  threads.deaf = false;
});

interface Scene {
  path: string;
  catalog: Catalog;
  facilitator: Facilitator;
  /** What the catalog said of itself, without what it says of every listing. */
  said: { text: string; faults?: number }[];
  /** Another connection to the file. */
  other(): DatabaseSync;
}

/** The service over a catalog in a file, until the test ends. */
async function openScene(): Promise<Scene> {
  const path = join(temporaryFolder(), 'catalog.db');
  const said: Scene['said'] = [];
  const say: CatalogLog['error'] = (fields, text) => void said.push({ ...fields, text });
  const catalog = await openCatalog({ dbPath: path, log: { info: () => {}, warn: say, error: say } });
  const facilitator = await stage.open({ catalog });
  const other = (): DatabaseSync => {
    const db = new DatabaseSync(path, { timeout: 1_000 });
    onTestFinished(() => db.close());
    return db;
  };
  return { path, catalog, facilitator, said, other };
}

/**
 * Pays for the resource `key` and holds the settlement to the bytes that it always has. Returns the header's content,
 * undefined where there is none.
 */
async function pay({ url }: Facilitator, key: string, echoed: object = { bazaar }): Promise<unknown> {
  const payment = settlements.newPayment();
  const { paymentPayload, ...request } = payment.request;
  const resource = { url: urlOf(key), description: key };
  const body = JSON.stringify({
    ...request,
    paymentPayload: { ...paymentPayload, resource, extensions: echoed },
  });
  const answer = await fetch(`${url}/settle`, { method: 'POST', headers: JSON_TYPE, body });
  const text = await answer.text();
  const { status, headers } = answer;
  expectDocumented({ method: 'POST', path: '/settle', status, headers, body: text });
  const transaction = settlements.expectSettled(JSON.parse(text), payment);
  expect(settlements.statusOf(transaction)).toBe('SUCCESS');
  expect(text).toBe(
    `{"success":true,"transaction":"${transaction}","network":"stellar:testnet","payer":"${payment.payer}"}`,
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  const header = headers.get('extension-responses');
  return header === null ? undefined : JSON.parse(Buffer.from(header, 'base64').toString());
}

const list = ({ url }: Facilitator) => ask(`${url}/discovery/resources`);
const search = ({ url }: Facilitator, query: string) => ask(`${url}/discovery/search?query=${query}`);

async function found(facilitator: Facilitator, query: string): Promise<string[]> {
  const { body } = await search(facilitator, query);
  return (body as DiscoverySearchResponse).resources.map(({ resource }) => resource);
}

async function expectListed(facilitator: Facilitator, keys: readonly string[]): Promise<void> {
  const items = keys.map((key) => ({ resource: urlOf(key) }));
  expect(await list(facilitator)).toMatchObject({
    status: 200,
    body: { items, pagination: { total: keys.length } },
  });
  for (const key of keys) expect(await found(facilitator, key)).toEqual([urlOf(key)]);
}

/** Pays for one resource after the other until one is listed; returns its key. */
async function recovered(facilitator: Facilitator): Promise<string> {
  let key = '';
  let attempts = 0;
  await expect.poll(() => pay(facilitator, (key = `after${(attempts += 1)}`)), RECOVERY).toEqual(LISTED);
  await expect.poll(async () => (await list(facilitator)).status, RECOVERY).toBe(200);
  return key;
}

describe('the settlement is the same, byte for byte, and discovery tells no lies, when the catalog', () => {
  test('is well', async () => {
    const { facilitator, said } = await openScene();
    expect(await pay(facilitator, 'one')).toEqual(LISTED);
    expect(await pay(facilitator, 'two', {})).toBeUndefined();
    await expectListed(facilitator, ['one']);
    expect(said).toEqual([]);
  });

  test('is locked by another process, and lists again afterwards', async () => {
    const { facilitator, said, other } = await openScene();
    expect(await pay(facilitator, 'before')).toEqual(LISTED);
    const db = other();
    db.exec('BEGIN EXCLUSIVE');
    expect(await pay(facilitator, 'first')).toBeUndefined();
    expect(await pay(facilitator, 'second')).toBeUndefined();
    await expectListed(facilitator, ['before']);
    db.exec('ROLLBACK');
    expect(await pay(facilitator, 'after')).toEqual(LISTED);
    await expectListed(facilitator, ['before', 'after']);
    expect(failuresIn(said)).toEqual([1, 2]);
  });

  test('fails in reading and writing, and is well again when the database is', async () => {
    const { facilitator, said, other } = await openScene();
    expect(await pay(facilitator, 'before')).toEqual(LISTED);
    const db = other();
    db.exec('ALTER TABLE listing RENAME TO elsewhere');
    expect(await pay(facilitator, 'meanwhile')).toBeUndefined();
    expect(await list(facilitator)).toMatchObject(INTERNAL_ERROR);
    expect(await search(facilitator, 'before')).toMatchObject(INTERNAL_ERROR);
    db.exec('ALTER TABLE elsewhere RENAME TO listing');
    expect(await pay(facilitator, 'after')).toEqual(LISTED);
    await expectListed(facilitator, ['before', 'after']);
    expect(failuresIn(said)).toEqual([1]);
    expect(facilitator.log.filter(({ msg }) => msg === 'fault')).toHaveLength(2);
  });

  test('is overwritten while it runs: a fault that is not blamed on the client, nor shown to it', async () => {
    const { path, facilitator, said, other } = await openScene();
    expect(await pay(facilitator, 'before')).toEqual(LISTED);
    overwrite(path, other());
    expect(await pay(facilitator, 'first')).toBeUndefined();
    const answer = await list(facilitator);
    expect(answer).toMatchObject(INTERNAL_ERROR);
    expect(answer.body).toMatchObject({ error: { reason: expect.stringMatching(/\S/) } });
    expect(JSON.stringify([answer.body, answer.headers])).not.toMatch(
      /sqlite|malformed|thread|catalog|\.db/i,
    );
    expect(await search(facilitator, 'before')).toMatchObject(INTERNAL_ERROR);
    expect(await pay(facilitator, 'second')).toBeUndefined();
    expect(failuresIn(said)).toEqual([1, 2]);
    // A payment that has nothing to list is none of the catalog's business.
    expect(await pay(facilitator, 'third', {})).toBeUndefined();
    expect(failuresIn(said)).toEqual([1, 2]);
  });

  test('is put back from a backup while it runs', async () => {
    const { path, facilitator, other } = await openScene();
    expect(await pay(facilitator, 'before')).toEqual(LISTED);
    const db = other();
    overwrite(path, db);
    expect(await list(facilitator)).toMatchObject(INTERNAL_ERROR);
    copyFileSync(`${path}.good`, path);
    await threads.end();
    const after = await recovered(facilitator);
    expect(await found(facilitator, 'before')).toEqual([urlOf('before')]);
    expect(await found(facilitator, after)).toEqual([urlOf(after)]);
  });

  test('has lost its file', async () => {
    const { path, facilitator } = await openScene();
    await pay(facilitator, 'before');
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    await pay(facilitator, 'after');
    expect((await list(facilitator)).status).toBe(200);
  });

  test('has lost its threads, which are replaced', async () => {
    const { facilitator, said } = await openScene();
    expect(await pay(facilitator, 'before')).toEqual(LISTED);
    const { started } = threads;
    await threads.end();
    expect(await pay(facilitator, 'meanwhile')).toBeUndefined();
    expect(failuresIn(said)).toEqual([1]);
    const after = await recovered(facilitator);
    expect(await found(facilitator, 'before')).toEqual([urlOf('before')]);
    expect(await found(facilitator, after)).toEqual([urlOf(after)]);
    expect(threads.started).toBeGreaterThan(started);
  });

  test('does not answer: the settlement does not wait for it', async () => {
    const { facilitator, said } = await openScene();
    threads.deaf = true;
    expect(await pay(facilitator, 'unheard')).toBeUndefined();
    expect(said.map(({ text }) => text)).toEqual(['cataloging takes longer than a settlement waits for it']);
    // Ends what hangs, instead of waiting for it at the end of the test.
    await threads.end();
  });

  test('is closed', async () => {
    const { catalog, facilitator, said } = await openScene();
    await catalog.close();
    expect(await pay(facilitator, 'late')).toBeUndefined();
    expect(await list(facilitator)).toMatchObject(INTERNAL_ERROR);
    expect(failuresIn(said)).toEqual([1]);
  });
});

/** Counts of the faults that were logged; all else must not have been said. */
function failuresIn(said: Scene['said']): (number | undefined)[] {
  expect(new Set(said.map(({ text }) => text))).toEqual(
    new Set(said.length > 0 ? ['cataloging failed'] : []),
  );
  return said.map(({ faults }) => faults);
}

/** Spoils all pages but the first one, after copying the file to `.good`; no connection knows the good ones any more. */
function overwrite(path: string, db: DatabaseSync): void {
  db.exec('UPDATE state SET clock = clock; PRAGMA wal_checkpoint(TRUNCATE)');
  copyFileSync(path, `${path}.good`);
  const { page_size: pageBytes } = db.prepare('PRAGMA page_size').get() as { page_size: number };
  const file = openSync(path, 'r+');
  const length = statSync(path).size - pageBytes;
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, pageBytes);
  closeSync(file);
}
