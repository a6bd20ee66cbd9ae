import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import { silent } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { ask } from '../operator/asking.ts';
import { entryOf } from './hostile.ts';
import { chromium, openCable, rowsOf, useConsole, violationsOf } from './console.ts';

const TOKEN = 'an-operators-token-of-enough-characters';

const shownLumens = (stroops: bigint): string =>
  (Number(stroops) / 1e7).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 7 });

describe.skipIf(!chromium)('the console', () => {
  const stage = useStage();
  const { newPayment, settlement } = settlementsOn(stage);
  const consoleOf = useConsole(stage);
  const { openService, settleAll } = consoleOf;

  const headline = (page: Page): Promise<string> => page.getByRole('status').first().innerText();
  const numberOf = (page: Page, name: string): Promise<string> =>
    page.locator('.glance > div', { hasText: name }).locator('.value').innerText();

  test('shows the same as the journal and the ledger, while payments settle', async () => {
    const { sandbox } = stage;
    const { shared, settled } = consoleOf;
    const page = await consoleOf.open(shared.operatorUrl);
    await expect.poll(() => headline(page)).toContain('All is well');
    settled.push(...(await settleAll(shared, 12)));
    const wrong = newPayment().request;
    wrong.paymentRequirements = { ...wrong.paymentRequirements, amount: '1' };
    const { invalidReason } = await shared.verify(wrong);

    await expect.poll(() => numberOf(page, 'Settled')).toBe(String(settled.length));
    await expect.poll(() => numberOf(page, 'In flight')).toBe('0');
    await expect.poll(() => rowsOf(page, 'Refusals')).toEqual([['1', invalidReason, 'verifyPayment']]);
    const fees = settled.reduce((sum, [hash]) => sum + settlement(hash).feeCharged, 0n);
    await expect.poll(() => numberOf(page, 'Fees')).toBe(shownLumens(fees));
    await page.getByText('As a table').click();
    const ledgers = Map.groupBy(settled, ([hash]) => settlement(hash).ledger);
    const perLedger = [...ledgers].toSorted(([a], [b]) => b - a).map(([ledger, of]) => [ledger, of.length]);
    expect(
      (await rowsOf(page, 'Payments per ledger')).map(([ledger, , count]) => [Number(ledger), Number(count)]),
    ).toEqual(perLedger);
    const { accounts } = (await ask(shared.operatorUrl, '/overview')).body;
    for (const { address } of accounts) {
      const row = page.getByRole('row').filter({ hasText: address.slice(-6) });
      await expect
        .poll(() => row.locator('td.number').getAttribute('title'))
        .toBe(`${shownLumens(sandbox.native(address))} XLM`);
    }

    await page.getByRole('link', { name: 'Settlements' }).click();
    await expect
      .poll(async () => (await rowsOf(page, 'Settlements, newest first')).map(([, , hash]) => hash))
      .toHaveLength(settled.length);
    const { settlements } = (await ask(shared.operatorUrl, '/settlements')).body;
    const shown = await rowsOf(page, 'Settlements, newest first');
    expect(shown.map(([, , hash]) => hash)).toEqual(
      settlements.map(({ hash }: { hash: string }) => `${hash.slice(0, 6)}…${hash.slice(-6)}`),
    );
  });

  test('tells the whole story of a settlement, found by hash, payer or recipient', async () => {
    const { shared, settled } = consoleOf;
    const [hash, payment] = settled[0]!;
    const page = await consoleOf.open(`${shared.operatorUrl}/#/settlements`);
    const search = async (text: string): Promise<void> => {
      await page.getByLabel('Hash, payer or recipient').fill(text);
      await page.getByRole('button', { name: 'Find' }).click();
    };
    for (const address of [payment.payer, payment.payTo]) {
      await search(` ${address} `);
      await expect
        .poll(async () => (await rowsOf(page, 'Settlements, newest first')).map(([, , one]) => one))
        .toEqual([`${hash.slice(0, 6)}…${hash.slice(-6)}`]);
    }
    await search('nothing');
    await page.getByText('Enter a hash').waitFor();
    await search(stage.sandbox.keyWithoutAccount().publicKey());
    await page.getByText('No settlement in the journal').waitFor();

    await search(hash.toUpperCase());
    await page.getByText('It is on the ledger, and the money moved.').first().waitFor();
    const text = await page.getByRole('main').innerText();
    const { ledger, feeCharged, source } = settlement(hash);
    for (const fact of [hash, payment.payer, payment.payTo, source, `Ledger ${ledger} closed`])
      expect(text).toContain(fact);
    expect(text).toContain(`${shownLumens(feeCharged)} XLM`);
    const steps = await page.locator('.step-name').allInnerTexts();
    expect(steps).toEqual([
      'Asked',
      'Verified',
      'Signed, then sent',
      `Ledger ${ledger} closed`,
      'Outcome learned',
    ]);
  });

  test('shows a pending settlement with its age, and then why it failed', async () => {
    const { sandbox } = stage;
    const facilitator = await openService();
    const key = sandbox.account(100_000n);
    sandbox.stopLedgers();
    onTestFinished(() => sandbox.faults.clear());
    const payment = newPayment({ key });
    const answer = facilitator.settle(payment.request);
    const page = await consoleOf.open(facilitator.operatorUrl);
    await expect
      .poll(async () => (await rowsOf(page, 'Settlements in flight')).flat().join(' '))
      .toMatch(/pending for \d+ s/);
    await page.locator('td a').first().click();
    await page.getByText('its outcome is not known yet').waitFor();
    sandbox.network.burn(key.publicKey(), sandbox.usdc(key.publicKey()));
    sandbox.network.closeLedger();
    sandbox.faults.clear();
    const { errorMessage, errorReason } = await answer;
    await page.getByText('It failed on the ledger').first().waitFor();
    const why = await page.locator('.why').innerText();
    expect(why).toBe(`${errorMessage} ${errorReason}`);
  });

  test('filters by status and payer, and gives the same as CSV', async () => {
    const { shared, settled } = consoleOf;
    const [hash, { payer }] = settled[1]!;
    const page = await consoleOf.open(`${shared.operatorUrl}/#/settlements`);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No settlement matches.').waitFor();
    await page.getByLabel('Status').selectOption('settled');
    await page.getByText('More filters').click();
    await page.getByLabel('Payer', { exact: true }).fill(payer);
    await page.getByLabel('From').fill('2020-01-01T00:00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => rowsOf(page, 'Settlements, newest first')).toHaveLength(1);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download as CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(hash);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await expect.poll(() => rowsOf(page, 'Settlements, newest first')).toHaveLength(settled.length);
  });

  test('shows older settlements when asked, each once', async () => {
    const journal = openJournal({ path: ':memory:', log: silent });
    const hashes = Array.from({ length: 130 }, (_, nth) => String(nth).padStart(64, '0'));
    for (const hash of hashes) {
      journal.open(entryOf(hash, 'GPAYER'));
      journal.close(hash, { state: 'rejected', reason: 'txBadSeq' } as never);
    }
    const { operatorUrl } = await consoleOf.openService({ journal });
    const page = await consoleOf.open(`${operatorUrl}/#/settlements?payer=GPAYER`);
    const rows = page.locator('tbody tr');
    const older = page.getByRole('button', { name: 'Show older' });
    for (const count of [50, 100, 130]) {
      await expect.poll(() => rows.count()).toBe(count);
      if (count < 130) await older.click();
    }
    await expect.poll(() => older.count()).toBe(0);
    const shown = await rows
      .locator('td:nth-child(3) .code')
      .evaluateAll((all) => all.map((one: any) => one.title));
    expect(shown).toEqual(hashes.toReversed());
  });

  test('names a dead node and an empty account', async () => {
    const { sandbox } = stage;
    const missing = sandbox.keyWithoutAccount();
    const facilitator = await openService({
      rpcUrl: ['http://127.0.0.1:9', sandbox.url],
      submitters: [missing, sandbox.submitter()],
    });
    const page = await consoleOf.open(facilitator.operatorUrl);
    await settleAll(facilitator, 3);
    const troubles = page.locator('.headline');
    await expect.poll(() => troubles.innerText()).toContain('http://127.0.0.1:9 failed several times');
    const shown = missing.publicKey();
    await expect
      .poll(() => troubles.innerText())
      .toContain(`${shown.slice(0, 6)}…${shown.slice(-6)}: no account on the network`);
    expect(await headline(page)).toContain('It works, but look at: RPC nodes, Channel accounts');
    expect((await rowsOf(page, 'RPC nodes'))[0]![0]).toContain('resting');
    expect((await rowsOf(page, 'Channel accounts'))[0]![0]).toContain('missing');

    sandbox.faults.add({ kind: 'httpStatus', status: 503 });
    onTestFinished(() => sandbox.faults.clear());
    await expect.poll(() => headline(page)).toContain('Something is wrong: RPC nodes');
    const { checks } = (await ask(facilitator.operatorUrl, '/ready')).body;
    const { message } = checks.find(({ name }: { name: string }) => name === 'rpc');
    expect(await troubles.innerText()).toContain(message.split(':')[0]);
    await expect.poll(() => page.title()).toContain('Something is wrong');
  });

  test('says that it is not connected, how old it is, and connects again', async () => {
    const cable = await openCable(Number(new URL(consoleOf.shared.operatorUrl).port));
    const page = await consoleOf.open(cable.url);
    await page.getByText('✓ live').waitFor();
    cable.cut();
    await page.getByText(/not connected, \d+ s old/).waitFor();
    expect(await headline(page)).toContain('Not connected');
    cable.mend();
    await page.getByText('✓ live').waitFor();
    await expect.poll(() => headline(page)).toContain('All is well');
    // The browser itself notes each connection that failed.
    const isNote = (fault: string): boolean => /Failed to load resource|ERR_/.test(fault);
    expect(consoleOf.faults.splice(0).filter((fault) => !isNote(fault))).toEqual([]);
  });

  test('asks for the token, and forgets it when told to', async () => {
    const { operatorUrl } = await openService({ operator: { token: TOKEN } });
    const page = await consoleOf.open(operatorUrl);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Sign in');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel(/token/).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel(/token/).fill(TOKEN);
    await page.keyboard.press('Enter');
    await expect.poll(() => headline(page)).toContain('All is well');
    await page.reload();
    await expect.poll(() => headline(page)).toContain('All is well');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel(/token/).waitFor();
    await page.reload();
    await page.getByLabel(/token/).waitFor();
    expect(consoleOf.faults.splice(0).filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});
