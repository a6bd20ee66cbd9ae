/** The console in Chromium, held to what it may never do. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { findChromium, launch, openWatched } from '../support/browser.ts';
import { openFacilitator, type Facilitator, type FacilitatorOptions } from '../support/service.ts';
import { settlementsOn, type Payment } from '../support/serviceSettlements.ts';
import type { Stage } from '../support/serviceStage.ts';

export const chromium = findChromium();
if (!chromium)
  console.log('skipped: the console in a browser, as no Chromium is on PATH or in CHROMIUM_PATH');

export const PHONE = { viewport: { width: 360, height: 740 } };
export const DESK = { viewport: { width: 1440, height: 900 } };

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

export interface ConsoleStage {
  /**
   * Opens the console until the test ends, and waits for its headline. A request elsewhere, a dialog, an error of a
   * script and a report of the content policy fail the test.
   */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong so far. Whoever expects it takes it away. */
  faults: string[];
  /** A service for the tests that change nothing of it, and what it has settled. */
  shared: Facilitator;
  settled: [hash: string, payment: Payment][];
  /** Opens another service until the test ends. */
  openService(options?: Partial<FacilitatorOptions>): Promise<Facilitator>;
  settleAll(facilitator: Facilitator, count: number): Promise<[hash: string, payment: Payment][]>;
}

export function useConsole(stage: Stage): ConsoleStage {
  const faults: string[] = [];
  const { newPayment } = settlementsOn(stage);
  let browser: Browser | undefined;

  function openWith(options: Partial<FacilitatorOptions>): Promise<Facilitator> {
    const { sandbox } = stage;
    const submitters = [sandbox.submitter(), sandbox.submitter()];
    return openFacilitator({ rpcUrl: sandbox.url, submitters, operator: {}, ...options });
  }
  async function settleAll(facilitator: Facilitator, count: number): Promise<[string, Payment][]> {
    const payments = Array.from({ length: count }, () => newPayment());
    const answers = await Promise.all(payments.map(({ request }) => facilitator.settle(request)));
    return answers.map(({ transaction }, nth) => [transaction, payments[nth]!]);
  }

  const consoleStage = { faults, settleAll } as ConsoleStage;
  beforeAll(async () => {
    browser = await launch(chromium!);
    consoleStage.shared = await openWith({ callers: { serviceFeeBudgetStroops: 100_000_000 } });
    consoleStage.settled = await settleAll(consoleStage.shared, 3);
  });
  afterAll(async () => {
    await browser?.close();
    await consoleStage.shared.close();
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  return Object.assign(consoleStage, {
    async openService(options: Partial<FacilitatorOptions> = {}) {
      const facilitator = await openWith(options);
      onTestFinished(() => facilitator.close());
      return facilitator;
    },
    async open(url: string, options: BrowserContextOptions = {}) {
      const { origin } = new URL(url);
      const mayAsk = (asked: string): boolean => new URL(asked).origin === origin;
      const page = await openWatched(browser!, { faults, mayAsk, options });
      onTestFinished(() => page.context().close());
      await page.goto(url);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
  });
}

/** Returns the rules that a page breaks, and where. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<any>('axe.run(document)');
  return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`));
}

/** Returns how far a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** Fails if a page breaks a rule, or is wider than its window: in the light on a desk, in the dark on a phone. */
export async function expectReach(page: Page): Promise<void> {
  for (const [colorScheme, { viewport }] of [
    ['light', DESK],
    ['dark', PHONE],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  }
}

/** Returns the cells of a table's rows by the table's name. */
export async function rowsOf(page: Page, name: string): Promise<string[][]> {
  const rows = await page.getByRole('group', { name, exact: true }).locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allInnerTexts()));
}

/** A way to a port that can be cut. */
export async function openCable(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other).on('error', () => {});
      socket.on('error', () => {}).on('close', () => other.destroy());
    }
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => void (isCut = false),
  };
}
