import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ask } from '../operator/asking.ts';
import { markAll } from '../catalog/markAll.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { withListing } from '../operator/observed.ts';
import type { Facilitator } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { chromium, DESK, expectReach, overflowOf, PHONE, rowsOf, useConsole } from './console.ts';
import { HOSTILE, hostileCatalog } from './hostile.ts';

const ORIGIN = 'https://api.example.com';

describe.skipIf(!chromium)('the console', () => {
  const stage = useStage();
  const { newPayment } = settlementsOn(stage);
  const consoleOf = useConsole(stage);

  /** Opens a service with a listing of this name, and the page of listings. */
  async function openListings(...names: string[]): Promise<{ facilitator: Facilitator; page: Page }> {
    const facilitator = await consoleOf.openService();
    for (const name of names) await facilitator.settle(withListing(newPayment().request, name));
    await expect.poll(() => listed(facilitator)).toHaveLength(names.length);
    return { facilitator, page: await consoleOf.open(`${facilitator.operatorUrl}/#/listings`, DESK) };
  }
  async function listed({ url }: Facilitator): Promise<string[]> {
    const answer = await fetch(`${url}/discovery/resources`);
    const { items } = (await answer.json()) as { items: { resource: string }[] };
    return items.map(({ resource }) => resource);
  }
  const shown = async (page: Page): Promise<string[]> =>
    (await rowsOf(page, 'Listings')).map(([id, state]) => `${id} ${state}`);
  async function act(page: Page, name: string, reason: string): Promise<void> {
    await page.getByRole('button', { name, exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name, exact: true }).click();
  }

  test('finds a listing, hides it, shows it again and removes it', async () => {
    const { facilitator, page } = await openListings('weather', 'forecast');
    await expect.poll(() => shown(page)).toEqual(['1 ✓ shown', '2 ✓ shown']);
    await page.getByLabel('Part of the URL').fill('WEATHER');
    await page.keyboard.press('Enter');
    await expect.poll(() => shown(page)).toEqual(['1 ✓ shown']);
    await page.getByLabel('Part of the URL').fill('');
    await page.getByLabel('Origin').fill('no origin');
    await page.keyboard.press('Enter');
    await page.getByText('The origin must be a scheme, a host and optionally a port').waitFor();
    await page.getByText('Clear filters').click();
    await page.getByRole('link', { name: '1', exact: true }).click();

    await page.getByRole('button', { name: 'Hide' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('copies \u202eanother');
    await dialog.getByLabel('Your name').fill('ada');
    await expectReach(page);
    await dialog.getByRole('button', { name: 'Hide' }).click();
    await dialog.getByText('one line of 1 to 500 printable characters').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('copies \u202eanother');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Hide' }).click();
    expect(await dialog.getByLabel('Your name').inputValue()).toBe('ada');
    await dialog.getByLabel('Reason').fill('copies another');
    await page.keyboard.press('Enter');
    await page.getByText('✓ It is hidden.').waitFor();
    expect(await page.locator('.done:focus').isVisible()).toBe(true);
    await expect.poll(() => page.locator('.verdict').innerText()).toBe('! hidden');
    expect(await listed(facilitator)).toEqual([`${ORIGIN}/forecast`]);
    await expect
      .poll(async () => (await rowsOf(page, 'What was done'))[0]?.slice(1))
      .toEqual(['hide', 'copies another', `${ORIGIN}/weather`, 'ada']);
    await expectReach(page);

    await act(page, 'Show again', 'a mistake');
    await expect.poll(() => page.locator('.verdict').innerText()).toBe('✓ shown');
    expect(await listed(facilitator)).toHaveLength(2);
    await act(page, 'Remove', 'asked for by its seller');
    await page.getByText('✓ It is removed.').waitFor();
    expect(await listed(facilitator)).toEqual([`${ORIGIN}/forecast`]);
    const { acts } = (await ask(facilitator.operatorUrl, '/acts?limit=1')).body;
    expect(acts).toMatchObject([{ action: 'remove', reason: 'asked for by its seller', actor: 'ada' }]);
    await page.goto(`${facilitator.operatorUrl}/#/listings`);
    await expect.poll(() => shown(page)).toEqual(['2 ✓ shown']);
    expect(consoleOf.faults.splice(0).filter((fault) => !/status of 400/.test(fault))).toEqual([]);
  });

  test('blocks an origin with a reason, and unblocks it', async () => {
    const { facilitator, page } = await openListings('weather');
    await page.getByRole('link', { name: '1', exact: true }).click();
    await act(page, 'Block origin', 'delivers nothing');
    await page.getByText('✓ Its origin is blocked.').waitFor();
    expect(await listed(facilitator)).toEqual([]);
    const { acts } = (await ask(facilitator.operatorUrl, '/acts')).body;
    expect(acts).toMatchObject([
      { action: 'block', subject: ORIGIN, reason: 'delivers nothing', actor: 'operator', source: 'console' },
    ]);
    await page.getByRole('button', { name: 'Unblock origin' }).waitFor();
    await page.getByRole('link', { name: 'All listings' }).click();
    await page.getByLabel('State').selectOption('Hidden or blocked');
    await expect.poll(() => shown(page)).toEqual(['1 ✕ blocked']);
    await expectReach(page);

    // Another operator is faster.
    const body = { action: 'unblock', kind: 'origin', value: ORIGIN, reason: 'they deliver' };
    await ask(facilitator.operatorUrl, '/blocks', { method: 'POST', body });
    await act(page, 'Unblock origin', 'they deliver again');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This is not blocked.').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('they deliver again');
    await ask(facilitator.operatorUrl, '/blocks', { method: 'POST', body: { ...body, action: 'block' } });
    await dialog.getByRole('button', { name: 'Unblock origin' }).click();
    await page.getByText('Nobody is blocked.').waitFor();
    await expect.poll(() => shown(page)).toEqual([]);
    expect((await rowsOf(page, 'Latest acts')).map(([, action]) => action)).toEqual([
      'unblock',
      'block',
      'unblock',
      'block',
    ]);
    expect(await listed(facilitator)).toEqual([`${ORIGIN}/weather`]);
    expect(consoleOf.faults.splice(0).filter((fault) => !/status of 409/.test(fault))).toEqual([]);
  });

  test('says in lists, on its page and in the story of a settlement that a listing is stale, and why', async () => {
    const dbPath = join(temporaryFolder(), 'catalog.db');
    const facilitator = await consoleOf.openService({ dbPath });
    const { operatorUrl } = facilitator;
    const { transaction } = await facilitator.settle(withListing(newPayment().request, 'weather'));
    await expect.poll(() => listed(facilitator)).toHaveLength(1);
    const page = await consoleOf.open(`${operatorUrl}/#/settlements/${transaction}`, DESK);
    const listing = page.locator('dl.facts > div', { has: page.getByText('Listing', { exact: true }) });
    await listing.getByRole('link', { name: 'its listing' }).waitFor();
    expect(await listing.locator('dd').innerText()).toBe('✓ listed its listing');

    await markAll({ options: { dbPath } }, { reason: 'other_terms', since: '2026-11-23T08:00:00.000Z' });
    await facilitator.settle(withListing(newPayment().request, 'weather/fresh'));
    const why = 'When it was last checked, it asked for other terms than those listed.';
    await page.reload();
    await expect.poll(() => listing.locator('dd').innerText()).toBe(`✓ listed its listing ! stale ${why}`);
    await expectReach(page);
    await page.goto(`${operatorUrl}/#/listings`);
    await expect.poll(() => shown(page)).toEqual(['1 ! shown, stale', '2 ✓ shown']);
    await page.getByRole('link', { name: '1', exact: true }).click();
    await expect.poll(() => page.locator('.verdict').innerText()).toBe('! shown, stale');
    await page.getByText(`Lists and searches show it. ${why}`).waitFor();
    await page.getByText(`${why} other_terms, since`).waitFor();
    await expectReach(page);
  });

  test('hostile texts of listings do nothing, hide nothing and break no layout', async () => {
    const { operatorUrl } = await consoleOf.openService({ catalog: hostileCatalog() });
    const page = await consoleOf.open(`${operatorUrl}/#/listings`, DESK);
    const rows = page.getByRole('group', { name: 'Listings' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(HOSTILE.length);
    await expectHarmless(page);
    await page.setViewportSize(PHONE.viewport);
    await expectHarmless(page);
    for (const id of HOSTILE.keys()) {
      await page.goto(`${operatorUrl}/#/listings/${id + 1}`);
      await page.locator('dd', { hasText: new RegExp(`^${id + 1}$`) }).waitFor();
      await expectHarmless(page);
    }
  });
});

async function expectHarmless(page: Page): Promise<void> {
  const found = await page.getByRole('main').evaluate((main: any) => ({
    elements: main.querySelectorAll('img, script, iframe, [onerror]').length,
    text: main.textContent,
    protocols: [...main.querySelectorAll('a')].map(({ protocol }) => protocol),
  }));
  expect(found.elements).toBe(0);
  expect(found.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\0]/);
  expect(found.protocols.filter((protocol: string) => !/^https?:$/.test(protocol))).toEqual([]);
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
}
