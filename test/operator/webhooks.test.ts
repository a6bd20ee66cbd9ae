import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { openWebhookReceiver } from '../world/webhookReceiver.ts';
import { ask } from './asking.ts';
import { scrape, seriesIn } from './observed.ts';

const stage = useStage();
const { newPayment } = settlementsOn(stage);

test('a settlement tells how far its webhook is, and a dead letter can be sent again', async () => {
  const receiver = await openWebhookReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = () => ({ status: 500 });
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const facilitator = await stage.open({ operator: {}, dbPath, webhookUrl: receiver.url });
  const { operatorUrl, settle } = facilitator;
  const { transaction } = await settle(newPayment().request);
  const webhook = async () => (await ask(operatorUrl, `/settlements/${transaction}`)).body.webhook;
  const patience = { timeout: 10_000, interval: 200 };
  await expect
    .poll(webhook, patience)
    .toMatchObject({ state: 'pending', failure: expect.stringContaining('500') });
  expect((await ask(operatorUrl, '/webhooks')).body).toMatchObject({ pending: 1, dead: 0 });

  // As if it had failed for two days.
  const journal = new DatabaseSync(journalPathOf(dbPath));
  journal.exec('UPDATE event SET attempts = 1000');
  journal.close();
  await expect.poll(webhook, patience).toMatchObject({ state: 'dead' });
  const { body } = await ask(operatorUrl, '/webhooks/dead-letters');
  expect(body.letters).toMatchObject([
    { id: `settled_${transaction}`, settlement: { hash: transaction, status: 'settled' } },
  ]);
  expect((await ask(operatorUrl, '/overview')).body.webhooks).toMatchObject({ pending: 0, dead: 1 });

  receiver.answer = () => ({ status: 200 });
  const retry = () =>
    ask(operatorUrl, `/webhooks/dead-letters/settled_${transaction}/retry`, { method: 'POST' });
  expect((await retry()).status).toBe(204);
  await expect.poll(webhook, patience).toMatchObject({ state: 'delivered' });
  expect((await retry()).status).toBe(404);
  const series = seriesIn(await scrape(facilitator));
  expect(series.get('webhook_events_delivered_total')).toBe(1);
  expect(series.get('webhook_events_given_up_total')).toBe(1);
  expect(series.get('webhook_dead_letters')).toBe(0);
});

test('the operator gives up an event that always fails, and discards it; both are logged', async () => {
  const receiver = await openWebhookReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = () => ({ status: 400 });
  const facilitator = await stage.open({ operator: {}, webhookUrl: receiver.url });
  const { operatorUrl, settle } = facilitator;
  const { transaction } = await settle(newPayment().request);
  const id = `settled_${transaction}`;
  const failing = async () => (await ask(operatorUrl, '/webhooks/failing')).body.events;
  await expect
    .poll(failing, { timeout: 10_000 })
    .toMatchObject([{ id, settlement: { hash: transaction }, failure: 'HTTP status 400' }]);

  const giveUp = (headers = {}) =>
    ask(operatorUrl, `/webhooks/failing/${id}/give-up`, { method: 'POST', headers });
  const discard = (headers = {}) =>
    ask(operatorUrl, `/webhooks/dead-letters/${id}`, { method: 'DELETE', headers });
  const elsewhere = { origin: 'https://evil.example' };
  expect((await discard()).status).toBe(404);
  expect((await giveUp(elsewhere)).status).toBe(403);
  expect((await giveUp()).status).toBe(204);
  expect((await giveUp()).status).toBe(404);
  expect(await failing()).toEqual([]);
  expect((await ask(operatorUrl, '/webhooks')).body).toMatchObject({ pending: 0, dead: 1 });
  expect((await discard(elsewhere)).status).toBe(403);
  expect((await discard()).status).toBe(204);
  expect((await ask(operatorUrl, '/webhooks')).body).toMatchObject({ pending: 0, dead: 0 });
  expect(seriesIn(await scrape(facilitator)).get('webhook_events_given_up_total')).toBe(1);
  expect(facilitator.log.filter(({ msg }) => /^the operator/.test(String(msg)))).toMatchObject([
    { msg: expect.stringMatching(/^the operator gave up a webhook/), event: id },
    { msg: 'the operator discarded a dead letter', event: id },
  ]);
});

test('without webhooks, the port says so', async () => {
  const { operatorUrl } = await stage.open({ operator: {} });
  for (const path of ['/webhooks', '/webhooks/failing', '/webhooks/dead-letters'])
    expect((await ask(operatorUrl, path)).body.error.code).toBe('op_not_found');
});
