import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useStage } from '../support/serviceStage.ts';
import { chromium, expectReach, useConsole } from './console.ts';

test('the console is small, and names no other place', () => {
  const files = ['index.html', 'console.js', 'console.css', 'favicon.svg'].map((name) =>
    readFileSync(`dist/console/${name}`),
  );
  expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(60_000);
  const named = files.join('\n').match(/\bhttps?:\/\/[\w.]+/g) ?? [];
  expect(new Set(named)).toEqual(new Set(['http://www.w3.org']));
});

describe.skipIf(!chromium)('the console', () => {
  const stage = useStage();
  const consoleOf = useConsole(stage);

  test('breaks no rule of axe, light and dark, on a desk and on a phone', async () => {
    const page = await consoleOf.open(consoleOf.shared.operatorUrl);
    await page.getByText('As a table').click();
    await expectReach(page);
    await page.goto(`${consoleOf.shared.operatorUrl}/#/settlements`);
    await page.getByText('More filters').click();
    await page.locator('td a').first().waitFor();
    await expectReach(page);
    await page.locator('td a').first().click();
    await page.getByText('What happened when').waitFor();
    await expectReach(page);
  });

  test('a choice of colours is kept', async () => {
    const { operatorUrl } = consoleOf.shared;
    const page = await consoleOf.open(operatorUrl, { colorScheme: 'light' });
    const ground = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.getByLabel('Colours').selectOption('dark');
    expect(await ground()).not.toBe(light);
    const dark = await ground();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground()).toBe(dark);
  });

  test('works with the keyboard alone, and shows where it is', async () => {
    const [hash] = consoleOf.settled[0]!;
    const page = await consoleOf.open(consoleOf.shared.operatorUrl);
    const focused = (): Promise<string> =>
      page.evaluate(`(() => {
        const { activeElement: at } = document;
        if (at === document.body) return '';
        const { outlineStyle, outlineWidth } = getComputedStyle(at);
        const isSeen = at.id === 'main' || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2);
        return (isSeen ? '' : 'UNSEEN ') + (at.ariaLabel ?? at.innerText ?? at.name ?? at.tagName);
      })()`);
    async function tabTo(name: string): Promise<void> {
      const passed: string[] = [];
      do {
        await page.keyboard.press('Tab');
        passed.push(await focused());
        expect(passed.at(-1)).not.toContain('UNSEEN');
      } while (!passed.at(-1)!.includes(name) && passed.length < 60);
      expect(passed.at(-1)).toContain(name);
    }
    await tabTo('Skip to the content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo('Channel accounts');
    await tabTo('RPC nodes');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await tabTo('Settlements');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    await page.keyboard.type(hash);
    await page.keyboard.press('Enter');
    await page.getByText('the money moved').first().waitFor();
    await tabTo('All settlements');
    await page.keyboard.press('Enter');
    await page.getByLabel('Hash, payer or recipient').waitFor();
  });
});
