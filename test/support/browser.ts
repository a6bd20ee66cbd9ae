import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** How long something may take to appear. */
const timeoutMs = 10_000;

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** A Chromium of this machine: the one that CHROMIUM_PATH names, else the first on PATH, else undefined. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const paths = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts the browser. As root, as in containers, Chromium runs only without its sandbox. */
export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
}

/** What goes wrong on a page is added to `faults`: requests elsewhere, dialogs, errors of scripts and of the console. */
export interface Watched {
  faults: string[];
  /** True if the page may ask for this address. */
  mayAsk(url: string): boolean;
  options?: BrowserContextOptions;
}

export async function openWatched(
  browser: Browser,
  { faults, mayAsk, options = {} }: Watched,
): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(timeoutMs);
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (mayAsk(url)) return route.continue();
    faults.push(`request: ${url}`);
    return route.abort();
  });
  page.on('websocket', (socket) => faults.push(`websocket: ${socket.url()}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  return page;
}

/** A page that reaches files only. */
export const openOffline = (browser: Browser, faults: string[]): Promise<Page> =>
  openWatched(browser, { faults, mayAsk: (url) => url.startsWith('file:') });
