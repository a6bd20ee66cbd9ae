import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually, expectStopped, newPayment, openSite, settle, type Site } from '../kill/site.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { readJournal } from '../world/journal.ts';
import { untold, wrongEvents } from '../world/oracle/events.ts';
import { openWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../world/webhookReceiver.ts';

const TIMEOUT_MS = 90_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ ledgerMs: 300 });
});
afterAll(() => sandbox.close());

async function open(): Promise<{ site: Site; receiver: WebhookReceiver }> {
  const receiver = await openWebhookReceiver();
  onTestFinished(() => receiver.close());
  return { site: await openSite(sandbox, { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET }), receiver };
}

const told = ({ arrivals }: WebhookReceiver): unknown[] =>
  arrivals.map(({ content }) => content.data['payTo']);

/** Waits until every outcome is told. */
async function expectAllTold({ journalPath }: Site, { arrivals }: WebhookReceiver): Promise<void> {
  const rows = () => readJournal(journalPath);
  await eventually(() => [...rows().filter(({ status }) => status === null), ...untold(rows())]).toEqual([]);
  expect(wrongEvents(rows(), arrivals)).toEqual([]);
}

test('a receiver that hangs holds up no settlement, and no stop', { timeout: TIMEOUT_MS }, async () => {
  const { site, receiver } = await open();
  receiver.answer = () => 'silence';
  const service = site.start();
  const url = await service.url;
  const payments = [1, 2].map(() => newPayment(sandbox));
  for (const payment of payments)
    expect(await settle(url, payment)).toMatchObject({ body: { success: true } });
  await eventually(() => told(receiver).toSorted()).toEqual(payments.map(({ payTo }) => payTo).toSorted());
  service.kill('SIGTERM');
  await expectStopped(service);
  const shown = service.lines().join('\n');
  expect(shown).toContain(new URL(receiver.url).origin);
  expect(shown).not.toMatch(/0123456789|whsec_/);

  receiver.answer = () => ({ status: 200 });
  const next = site.start();
  await expectAllTold(site, receiver);
  next.kill('SIGTERM');
  await expectStopped(next);
});

test(
  'a process that is killed before, while and after it tells an outcome leaves it to the next one',
  { timeout: TIMEOUT_MS },
  async () => {
    const { site, receiver } = await open();
    const payment = newPayment(sandbox);

    // Sent, and no ledger has it: the next process learns the outcome.
    const first = site.start();
    sandbox.stopLedgers();
    const lost = settle(await first.url, payment).catch(() => undefined);
    await site.called('sendTransaction');
    first.kill('SIGKILL');
    await first.ended;
    await lost;
    expect(readJournal(site.journalPath)).toMatchObject([{ status: null, hasEvent: false }]);

    // Told, and the process does not hear that it was taken.
    let second = site.start();
    receiver.answer = () => {
      second.kill('SIGKILL');
      return 'lost';
    };
    sandbox.network.closeLedger();
    sandbox.faults.clear();
    await second.ended;
    expect(told(receiver)).toEqual([payment.payTo]);
    expect(readJournal(site.journalPath)).toMatchObject([{ status: 'success', hasEvent: true }]);

    receiver.answer = () => ({ status: 200 });
    second = site.start();
    await expectAllTold(site, receiver);
    const [one, same, ...others] = receiver.arrivals;
    expect([same!.id, same!.body, others]).toEqual([one!.id, one!.body, []]);
    second.kill('SIGKILL');
    await second.ended;

    // Delivered once and for all.
    const last = site.start();
    const another = newPayment(sandbox);
    expect(await settle(await last.url, another)).toMatchObject({ body: { success: true } });
    await expectAllTold(site, receiver);
    expect(told(receiver)).toEqual([payment.payTo, payment.payTo, another.payTo]);
    last.kill('SIGTERM');
    await expectStopped(last);
    const db = new DatabaseSync(site.journalPath, { readOnly: true });
    expect(db.prepare('SELECT count(*) AS n FROM entry WHERE told_at IS NULL').get()).toEqual({ n: 0 });
    db.close();
  },
);
