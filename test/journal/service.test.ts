import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { eventually, expectStopped, listedAt, newPayment, openSite, settle } from '../kill/site.ts';
import { readJournal } from '../world/journal.ts';
import { AMOUNT } from '../support/payments.ts';
import { openSandbox } from '../support/sandbox.ts';

test('a journal that cannot be written keeps no payment from being settled and listed, and is told in the log', async ({
  onTestFinished,
}) => {
  const sandbox = await openSandbox();
  onTestFinished(() => sandbox.close());
  const site = await openSite(sandbox);
  const service = site.start();
  const url = await service.url;
  const other = new DatabaseSync(site.journalPath);
  other.exec('BEGIN IMMEDIATE');
  const [unjournaled, journaled] = [newPayment(sandbox), newPayment(sandbox)];
  expect(await settle(url, unjournaled)).toMatchObject({ body: { success: true } });
  expect(sandbox.usdc(unjournaled.payTo)).toBe(AMOUNT);
  await eventually(() => listedAt(url)).toEqual([unjournaled.url]);
  const failures = (): unknown[] =>
    service.logged().filter(({ msg }) => String(msg).startsWith('the journal failed: '));
  expect(failures()).not.toEqual([]);
  expect(readJournal(site.journalPath)).toEqual([]);

  // And goes on when it can.
  other.close();
  expect(await settle(url, journaled)).toMatchObject({ body: { success: true } });
  expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success' }]);
  service.kill('SIGTERM');
  await expectStopped(service);
});
