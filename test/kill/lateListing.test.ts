import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSandbox } from '../support/sandbox.ts';
import { readJournal } from '../world/journal.ts';
import { readListings } from './readers.ts';
import { eventually, expectStopped, newPayment, openSite, settle } from './site.ts';

/** Longer than a second, by which the times of ledgers are told apart. */
const LEDGER_MS = 1_100;

test('a listing that was due when the process was killed is made up for, and the words of a later payment stand', async ({
  onTestFinished,
}) => {
  const sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
  onTestFinished(() => sandbox.close());
  const site = await openSite(sandbox);
  const service = site.start();
  const url = await service.url;
  const missed = newPayment(sandbox, { description: 'missed' });
  const earlier = newPayment(sandbox, { description: 'earlier words' });
  const later = newPayment(sandbox, { ...earlier, description: 'later words' });

  const other = new DatabaseSync(site.dbPath);
  other.exec('BEGIN IMMEDIATE');
  for (const payment of [missed, earlier])
    expect(await settle(url, payment)).toMatchObject({ body: { success: true } });
  await eventually(() => service.logged().filter(({ msg }) => msg === 'cataloging failed')).toHaveLength(2);
  other.close();
  expect(await settle(url, later)).toMatchObject({ body: { success: true } });
  await eventually(() => readListings(url)).toMatchObject([{ description: 'later words' }]);
  service.kill('SIGKILL');
  await service.ended;

  const next = site.start();
  const nextUrl = await next.url;
  const isDue = (): boolean => readJournal(site.journalPath).some(({ isListingDue }) => isListingDue);
  await eventually(isDue).toBe(false);
  const listings = await readListings(nextUrl);
  expect(listings.map(({ resource, description }) => [resource, description])).toEqual([
    [earlier.url, 'later words'],
    [missed.url, 'missed'],
  ]);
  next.kill('SIGTERM');
  await expectStopped(next);
});
