/** The page at `/` in Chromium. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import type { DiscoveryResource, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { chromium, expectReach, overflowOf, PHONE } from '../console/console.ts';
import { HOSTILE } from '../console/hostile.ts';
import { launch, openWatched } from '../support/browser.ts';
import { encoded } from '../support/catalogDouble.ts';
import { requirements, startService, type TestService } from './support.ts';

const WEATHER: DiscoveryResource = {
  resource: 'https://api.example.com/weather',
  type: 'http',
  x402Version: 2,
  accepts: [requirements],
  lastUpdated: '2026-11-23T08:00:00.000Z',
  serviceName: 'Weather Desk',
  description: 'Weather forecast for a city',
};

const pageOf = (resources: DiscoveryResource[], cursor: string | null = null) =>
  encoded<DiscoverySearchResponse>({
    x402Version: 2,
    resources,
    partialResults: cursor !== null,
    pagination: { limit: resources.length, cursor },
  });

describe.skipIf(!chromium)('the page at /', () => {
  const faults: string[] = [];
  let browser: Browser;
  beforeAll(async () => void (browser = await launch(chromium!)));
  afterAll(() => browser.close());
  afterEach(() => expect(faults.splice(0)).toEqual([]));

  async function open(
    search: Catalog['search'],
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; service: TestService }> {
    const service = await startService({}, { search });
    const mayAsk = (url: string): boolean => url.startsWith(`${service.url}/`);
    const page = await openWatched(browser, { faults, mayAsk, options });
    onTestFinished(() => page.context().close());
    await page.goto(`${service.url}/`);
    return { page, service };
  }
  const said = (page: Page): Promise<string> => page.getByRole('status').innerText();
  async function find(page: Page, words: string): Promise<void> {
    await page.getByLabel('Search the catalog').fill(words);
    await page.keyboard.press('Enter');
  }

  test('finds listings by words, and shows name, address, description and price', async () => {
    const { page, service } = await open(async () => pageOf([WEATHER]));
    await find(page, 'weather & "rain"');
    await expect.poll(() => said(page)).toBe('1 result');
    expect(service.catalog.searched.map(({ query }) => query)).toEqual(['weather & "rain"']);
    const text = await page.getByRole('listitem').filter({ hasText: 'Weather Desk' }).innerText();
    for (const part of [WEATHER.resource, 'Weather forecast for a city', '0.01 USDC on stellar:testnet'])
      expect(text).toContain(part);
  });

  test('shows further results when asked, each page after the other', async () => {
    const pages = [pageOf([WEATHER], 'next'), pageOf([{ ...WEATHER, serviceName: 'Second' }])];
    const { page, service } = await open(async ({ cursor }) => pages[cursor === 'next' ? 1 : 0]!);
    await find(page, 'weather');
    await expect.poll(() => said(page)).toBe('The first 1 result');
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => said(page)).toBe('2 results');
    expect(service.catalog.searched.at(-1)).toMatchObject({ query: 'weather', cursor: 'next' });
    expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['Weather Desk', 'Second']);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('said');
  });

  test('says that nothing was found, and why a search was refused', async () => {
    const overloaded = { code: 'svc_overloaded', message: 'Too many <b>questions</b>.' } as const;
    const { page } = await open(async ({ query }) => (query === 'none' ? pageOf([]) : overloaded));
    await find(page, 'none');
    await expect.poll(() => said(page)).toBe('Nothing was found.');
    await find(page, 'busy');
    await expect.poll(() => said(page)).toBe(overloaded.message);
    expect(faults.splice(0)).toEqual([expect.stringContaining('503')]);
  });

  test('texts of sellers do nothing, hide nothing and break no layout', async () => {
    const hostile = HOSTILE.map((text) => ({
      ...WEATHER,
      resource: text,
      serviceName: text,
      description: text,
      accepts: [{ ...requirements, amount: text, asset: text, network: text }],
    }));
    const { page } = await open(async () => pageOf(hostile), PHONE);
    await find(page, 'anything');
    await expect.poll(() => said(page)).toBe(`${HOSTILE.length} results`);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    const links = await page
      .locator('#results a')
      .evaluateAll((all) => all.map((a: any) => [a.protocol, a.rel]));
    expect(links.length).toBeGreaterThan(0);
    for (const [protocol, rel] of links) {
      expect(protocol).toMatch(/^https?:$/);
      expect(rel).toBe('noopener noreferrer nofollow');
    }
    const made = await page.locator('#results *').evaluateAll((all) => all.map((one: any) => one.localName));
    expect(new Set(made)).toEqual(new Set(['li', 'h3', 'p', 'a', 'bdi']));
    expect(await page.locator('#results').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\0]/);
  });

  test('breaks no rule of axe, light and dark, on a desk and on a phone', async () => {
    const { page } = await open(async () => pageOf([WEATHER], 'next'));
    await expectReach(page);
    await find(page, 'weather');
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    await expectReach(page);
  });

  test('works with the keyboard alone', async () => {
    const { page } = await open(async () => pageOf([WEATHER]));
    const passed = [];
    do {
      await page.keyboard.press('Tab');
      passed.push(
        await page.evaluate<string>('document.activeElement.id || document.activeElement.innerText'),
      );
    } while (passed.at(-1) !== 'query' && passed.length < 20);
    await page.keyboard.type('weather');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => said(page)).toBe('1 result');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.href')).toBe(WEATHER.resource);
  });

  test('without its script the form leads to the same search in JSON', async () => {
    const { page } = await open(async () => pageOf([WEATHER]), { javaScriptEnabled: false });
    await find(page, 'weather');
    await page.waitForURL('**/discovery/search?query=weather');
    expect(await page.locator('body').innerText()).toContain('Weather Desk');
  });
});
