/** Measures when Chromium shows something of the console, and when it shows the settlements. */
import type { Browser } from 'playwright-core';
import { findChromium, launch, openWatched } from '../../test/support/browser.ts';
import { say } from '../progress.ts';
import { goal, type Result, type Section } from '../results.ts';
import { median } from '../statistics.ts';
import { shown } from '../table.ts';

const GOAL_MS = 1_000;
const ROWS = '[aria-label="Settlements, newest first"] tbody tr';
/** For the page, which has no TypeScript. */
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((paints) => {
    const [first] = paints.getEntriesByName('first-contentful-paint');
    if (first !== undefined) resolve(first.startTime);
  }).observe({ type: 'paint', buffered: true }))`;

/** Both since the page was asked for. */
interface Painted {
  firstMs: number;
  settlementsMs: number;
}

/** Returns undefined where there is no Chromium. */
export async function measurePaint(
  operatorPort: number,
  rounds: number,
): Promise<{ section: Section; goals: Result['goals'] } | undefined> {
  const chromium = findChromium();
  if (chromium === undefined) return undefined;
  await using browser = await launch(chromium);
  const url = `http://127.0.0.1:${operatorPort}/#/settlements`;
  const painted: Painted[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(`operator: the console is opened, ${round} of ${rounds}`);
    painted.push(await paint(browser, url));
  }
  const [firstMs, settlementsMs] = [
    painted.map((one) => one.firstMs),
    painted.map((one) => one.settlementsMs),
  ];
  return {
    section: {
      title: 'The console in Chromium',
      measures: [
        { name: 'first contentful paint, ms', ours: firstMs, peer: [] },
        { name: 'settlements are shown, ms', ours: settlementsMs, peer: [] },
      ],
    },
    goals: [goal('first paint within 1 s', `${shown(median(firstMs))} ms`, median(firstMs) < GOAL_MS)],
  };
}

/** Opens the page as somebody who was never there. */
async function paint(browser: Browser, url: string): Promise<Painted> {
  const faults: string[] = [];
  const { origin } = new URL(url);
  const page = await openWatched(browser, { faults, mayAsk: (asked) => new URL(asked).origin === origin });
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(ROWS).first().waitFor();
  const settlementsMs = await page.evaluate<number>('performance.now()');
  const firstMs = await page.evaluate<number>(FIRST_PAINT);
  await page.context().close();
  if (faults.length > 0) throw new Error(`the console failed: ${faults.join('; ')}`);
  return { firstMs, settlementsMs };
}
