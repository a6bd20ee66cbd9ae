import { describe, expect, test } from 'vitest';
import { useStage } from '../support/serviceStage.ts';
import { openJournal } from '../../src/journal/index.ts';
import { silent } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { chromium, DESK, overflowOf, PHONE, useConsole } from './console.ts';
import { HOSTILE, writeHostile } from './hostile.ts';

describe.skipIf(!chromium)('the console', () => {
  const stage = useStage();
  const { newPayment } = settlementsOn(stage);
  const consoleOf = useConsole(stage);

  test('hostile texts in every field do nothing, hide nothing and break no layout', async () => {
    const journal = openJournal({ path: ':memory:', log: silent });
    const hashes = await writeHostile(journal);
    const { operatorUrl, url } = await consoleOf.openService({ journal });
    const { request } = newPayment();
    await fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': '<img src=x onerror=alert(1)>' },
      body: JSON.stringify({
        ...request,
        paymentPayload: { ...request.paymentPayload, resource: { url: HOSTILE[0]! } },
      }),
    });
    for (const options of [DESK, PHONE]) {
      const page = await consoleOf.open(`${operatorUrl}/#/settlements`, options);
      await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(hashes.length);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      const links = await page
        .locator('td.clipped a')
        .evaluateAll((all) => all.map((a: any) => [a.protocol, a.rel]));
      for (const [protocol, rel] of links) {
        expect(protocol).toMatch(/^https?:$/);
        expect(rel).toBe('noopener noreferrer');
      }
      const heights = await page
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row: any) => row.offsetHeight));
      expect(Math.max(...heights)).toBeLessThan(60);
      if (options === DESK) continue;
      for (const hash of hashes) {
        await page.goto(`${operatorUrl}/#/settlements/${hash}`);
        await page.locator('.full', { hasText: hash }).first().waitFor();
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
        expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0);
        expect(await page.getByRole('main').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\0]/);
      }
    }
  });

  test('hostile texts in the address and in the search do nothing', async () => {
    const { operatorUrl } = consoleOf.shared;
    const page = await consoleOf.open(operatorUrl);
    for (const text of HOSTILE) {
      const written = encodeURIComponent(text.toWellFormed());
      for (const place of [`settlements?payer=${written}&since=${written}`, `settlements/${written}`]) {
        await page.goto(`${operatorUrl}/#/${place}`);
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      }
      await page.goto(`${operatorUrl}/#/settlements`);
      await page.getByLabel('Hash, payer or recipient').fill(text);
      await page.keyboard.press('Enter');
      await page.getByText('Enter a hash').waitFor();
    }
    // The port refuses what no filter can be.
    expect(consoleOf.faults.splice(0).filter((fault) => !/status of 40[04]/.test(fault))).toEqual([]);
  });
});
