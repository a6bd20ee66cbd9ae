import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endless } from './declaration/schema/hostile.ts';
import { auditCatalog } from './auditedCatalog.ts';
import { urlOf } from './drafts.ts';
import { LARGE, useServiceProcess } from './serviceProcess.ts';
import { bazaar } from './settledPayments.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const { start, pay, urlsListed, stop } = useServiceProcess();

test('listings outlive the process', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  const first = await start(path);
  expect(await pay(first.url, 'one')).toEqual({ listed: true });
  await stop(first);
  expect(existsSync(`${path}-wal`)).toBe(false);

  const second = await start(path);
  expect(await pay(second.url, 'two')).toEqual({ listed: true });
  expect(await urlsListed(second.url)).toEqual([urlOf('one'), urlOf('two')]);
  second.kill('SIGKILL');
  await second.ended;
  const catalog = auditCatalog(path);
  expect([...catalog.items.keys()]).toEqual(['one', 'two']);
  catalog.close();
});

test('in memory they do not: no file is made, and all else is the same', async () => {
  const cwd = temporaryFolder();
  const service = await start(':memory:', { cwd });
  expect(await pay(service.url, 'one')).toEqual({ listed: true });
  expect(await urlsListed(service.url)).toEqual([urlOf('one')]);
  await stop(service);
  expect(readdirSync(cwd)).toEqual([]);
});

test('a full disk changes no settlement, and leaves what was listed', async () => {
  const path = join(temporaryFolder(), 'catalog.db');
  // Room for the tables in the write-ahead log, and for a few large listings.
  const service = await start(path, { blocks: '800' });
  const listed: string[] = [];
  let faults = 0;
  for (let payment = 0; faults < 3; payment += 1) {
    const { listed: isListed } = await pay(service.url, `key${payment}`, LARGE);
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
