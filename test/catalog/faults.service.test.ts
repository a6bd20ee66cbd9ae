import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { endless } from './declaration/schema/hostile.ts';
import { auditCatalog } from './auditedCatalog.ts';
import { startChild, type Child } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { urlOf } from './drafts.ts';
import { bazaar } from './settledPayments.ts';
import { ask, JSON_TYPE } from '../http/support.ts';
import { expectDocumented } from '../support/contract.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

// The whole service, as `npm start` runs it, in a process of its own.

const stage = useStage({ withFeeBump: false });
const settlements = settlementsOn(stage);

interface Process extends Child {
  url: string;
}

/** `blocks` limits the size of files: of 512 bytes each. */
async function start(path: string, { submitters = 1, blocks = 'unlimited' } = {}): Promise<Process> {
  const keys: Keypair[] = Array.from({ length: submitters }, () => stage.sandbox.submitter());
  const env = {
    DB_PATH: path,
    PORT: '0',
    RPC_URL: stage.sandbox.url,
    SUBMITTER_SECRET: keys.map((key) => key.secret()).join(),
  };
  const limited = `ulimit -f ${blocks} && exec "$0" src/main.ts`;
  const child = startChild('/bin/sh', ['-c', limited, process.execPath], { env });
  const { url } = logged(await child.line('{"level":"info"')) as { url: string };
  return { ...child, url };
}

const logged = (line: string): Record<string, unknown> => JSON.parse(line) as Record<string, unknown>;

interface Paid {
  /** Whether the header said that the resource is listed; undefined without header. */
  listed: boolean | undefined;
}

/** Pays, and holds the answer to the bytes that every settlement has. */
async function pay(url: string, key: string, extensions: object = { bazaar }): Promise<Paid> {
  const payment = settlements.newPayment();
  const { paymentPayload, ...request } = payment.request;
  const resource = { url: urlOf(key), description: key };
  const body = JSON.stringify({ ...request, paymentPayload: { ...paymentPayload, resource, extensions } });
  const answer = await fetch(`${url}/settle`, { method: 'POST', headers: JSON_TYPE, body });
  const text = await answer.text();
  const { status, headers } = answer;
  expectDocumented({ method: 'POST', path: '/settle', status, headers, body: text });
  const transaction = settlements.expectSettled(JSON.parse(text), payment);
  expect(text).toBe(
    `{"success":true,"transaction":"${transaction}","network":"stellar:testnet","payer":"${payment.payer}"}`,
  );
  const header = headers.get('extension-responses');
  if (header === null) return { listed: undefined };
  const outcome = JSON.parse(Buffer.from(header, 'base64').toString()) as { bazaar: { status: string } };
  return { listed: outcome.bazaar.status === 'success' };
}

async function urlsListed(url: string): Promise<string[]> {
  const { status, body } = await ask(`${url}/discovery/resources`);
  expect(status).toBe(200);
  return (body as DiscoveryListResponse).items.map(({ resource }) => resource);
}

async function stop(service: Child): Promise<Record<string, unknown>[]> {
  service.kill('SIGTERM');
  const { code, lines, stderr } = await service.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return lines.map(logged);
}

test('listings outlive the process', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const first = await start(path);
  expect(await pay(first.url, 'one')).toEqual({ listed: true });
  await stop(first);
  expect(existsSync(`${path}-wal`)).toBe(false);

  const second = await start(path);
  expect(await pay(second.url, 'two')).toEqual({ listed: true });
  second.kill('SIGKILL');
  await second.ended;

  const third = await start(path);
  expect(await urlsListed(third.url)).toEqual([urlOf('one'), urlOf('two')]);
  await stop(third);
});

test('in memory they do not, and all else is the same', async () => {
  for (const key of ['one', 'two']) {
    const service = await start(':memory:');
    expect(await pay(service.url, key)).toEqual({ listed: true });
    expect(await urlsListed(service.url)).toEqual([urlOf(key)]);
    await stop(service);
  }
});

test('a full disk changes no settlement, and leaves what was listed', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  // Room for the tables in the write-ahead log, and for a few large listings.
  const service = await start(path, { blocks: '500' });
  const large = { bazaar: { ...bazaar, schema: { ...bazaar.schema, title: 'x'.repeat(40_000) } } };
  const listed: string[] = [];
  let faults = 0;
  for (let payment = 0; faults < 3; payment += 1) {
    const { listed: isListed } = await pay(service.url, `key${payment}`, large);
    if (isListed) listed.push(urlOf(`key${payment}`));
    // Never said to be the seller's fault.
    else expect(isListed).toBeUndefined();
    if (!isListed) faults += 1;
  }
  expect(listed.length).toBeGreaterThan(0);
  expect(await urlsListed(service.url)).toEqual(listed);
  const failures = (await stop(service)).filter(({ msg }) => msg === 'cataloging failed');
  expect(failures.map((line) => line['faults'])).toEqual([1, 2, 3]);
  expect(failures.map(({ err }) => (err as { message: string }).message)).toEqual(
    failures.map(() => expect.stringMatching(/disk/)),
  );
  const catalog = auditCatalog(path);
  expect([...catalog.items.keys()].map(urlOf)).toEqual(listed);
  expect(catalog.integrity()).toEqual({ integrity_check: 'ok' });
  catalog.close();
});

test('what settled while the disk was full is listed when there is room again', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const journal = journalPathOf(path);
  const service = await start(path, { blocks: '500' });
  const large = { bazaar: { ...bazaar, schema: { ...bazaar.schema, title: 'x'.repeat(40_000) } } };
  const paid: string[] = [];
  for (let faults = 0; faults < 5;) {
    paid.push(urlOf(`key${paid.length}`));
    const { listed } = await pay(service.url, `key${paid.length - 1}`, large);
    if (listed === undefined) faults += 1;
  }
  expect((await urlsListed(service.url)).length).toBeLessThan(paid.length);
  // Neither file could be written.
  expect(settledIn(journal)).toBeLessThan(paid.length);
  await expect
    .poll(
      async () => {
        for (const file of [path, journal]) makeRoom(file);
        return (await urlsListed(service.url)).sort();
      },
      { timeout: 50_000, interval: 500 },
    )
    .toEqual([...paid].sort());
  const lines = await stop(service);
  expect(lines.filter(({ msg }) => String(msg).startsWith('listings are lost'))).toEqual([]);
}, 90_000);

/** How many payments the journal's file knows to be settled. */
function settledIn(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare("SELECT count(*) AS n FROM entry WHERE status = 'success'").get();
  db.close();
  return row?.['n'];
}

/** Copies the write-ahead log into the file, as the service itself may not. */
function makeRoom(path: string): void {
  const db = new DatabaseSync(path, { timeout: 5_000 });
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

test('on SIGTERM, what still waits to be listed is written before the process ends', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const HOSTILE = 30;
  const service = await start(path, { submitters: HOSTILE });
  // Each keeps the catalog busy for as long as one may.
  const { schema } = endless.find(({ name }) => name.startsWith('allOf, 12'))!;
  const hostile = Array.from({ length: HOSTILE }, (_, index) =>
    pay(service.url, `hostile${index}`, { bazaar: { ...bazaar, schema } }),
  );
  await Promise.any(hostile);
  const last = pay(service.url, 'waits');
  await service.line('{"level":"warn"');
  expect((await last).listed).not.toBe(false);
  const lines = await stop(service);
  await Promise.all(hostile);
  expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['stopping', 'stopped']));
  expect(lines.filter(({ msg }) => msg === 'cataloging failed')).toEqual([]);
  const catalog = auditCatalog(path);
  expect([...catalog.items.keys()]).toEqual(['waits']);
  catalog.close();
});
