import { describe, expect, onTestFinished, test } from 'vitest';
import { webhookTroubles } from '../../console/health.ts';
import { ask } from '../operator/asking.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { openWebhookReceiver } from '../world/webhookReceiver.ts';
import { chromium, expectReach, rowsOf, useConsole } from './console.ts';

test('the first line names a receiver that fails, once events have waited for five minutes', () => {
  const named = (oldestAt: string) =>
    webhookTroubles({
      at: '2026-11-23T08:10:00.000Z',
      webhooks: { pending: 2, oldestAt, dead: 0, lastFailure: { id: 'x', text: 'no route', at: oldestAt } },
    });
  expect(named('2026-11-23T08:05:01.000Z')).toEqual([]);
  expect(named('2026-11-23T08:05:00.000Z')).toMatchObject([
    { level: 'watch', text: expect.stringMatching(/2 events not delivered, .* 5 min 0 s.*no route/) },
  ]);
});

describe.skipIf(!chromium)('the console', () => {
  const stage = useStage();
  const { newPayment } = settlementsOn(stage);
  const consoleOf = useConsole(stage);

  test('tells how far a webhook is, gives up one that fails, and sends a dead letter again', async () => {
    const receiver = await openWebhookReceiver();
    onTestFinished(() => receiver.close());
    receiver.answer = () => ({ status: 500 });
    const { operatorUrl, settle } = await consoleOf.openService({ webhookUrl: receiver.url });
    const { transaction } = await settle(newPayment().request);
    const page = await consoleOf.open(`${operatorUrl}/#/settlements/${transaction}`);
    const step = page.locator('.steps li').last();
    const patience = { timeout: 10_000 };
    await expect.poll(() => step.innerText(), patience).toMatch(/Webhook pending[^]*500[^]*next attempt/);

    await page.getByRole('link', { name: 'Overview' }).click();
    const giveUp = page.getByRole('button', { name: `Give up settled_${transaction}` });
    await giveUp.waitFor();
    await expectReach(page);
    await giveUp.click();
    await expect
      .poll(() => rowsOf(page, 'Dead letters'), patience)
      .toMatchObject([
        [
          expect.anything(),
          expect.anything(),
          expect.stringMatching(/Send again[^]*Discard/),
          expect.anything(),
          expect.stringContaining('500'),
        ],
      ]);
    await page.getByText('1 dead letter:').waitFor();
    await expect.poll(() => giveUp.count(), patience).toBe(0);
    await expectReach(page);
    await page.goto(`${operatorUrl}/#/settlements/${transaction}`);
    await expect.poll(() => step.innerText(), patience).toMatch(/Webhook is a dead letter[^]*500/);
    await page.getByRole('link', { name: 'Overview' }).click();

    receiver.answer = () => ({ status: 200 });
    await page.getByRole('button', { name: `Send again settled_${transaction}` }).click();
    await expect.poll(() => [...receiver.taken()], patience).toEqual([`settled_${transaction}`]);
    await expect.poll(() => page.getByRole('group', { name: 'Dead letters' }).count(), patience).toBe(0);
    await page.goto(`${operatorUrl}/#/settlements/${transaction}`);
    await expect.poll(() => step.innerText()).toMatch(/Webhook delivered[^]*The receiver accepted it/);
  });

  test('discards a dead letter at the second click', async () => {
    const receiver = await openWebhookReceiver();
    onTestFinished(() => receiver.close());
    receiver.answer = () => ({ status: 500 });
    const { operatorUrl, settle } = await consoleOf.openService({ webhookUrl: receiver.url });
    const { transaction } = await settle(newPayment().request);
    const page = await consoleOf.open(`${operatorUrl}/#/`);
    const click = (name: string) =>
      page.getByRole('button', { name: `${name} settled_${transaction}` }).click();
    const dead = async () => (await ask(operatorUrl, '/webhooks')).body.dead;
    await click('Give up');
    await click('Discard');
    expect(await dead()).toBe(1);
    await click('Discard for good?');
    await expect.poll(dead).toBe(0);
    await expect.poll(() => page.getByRole('group', { name: 'Dead letters' }).count()).toBe(0);
  });
});
