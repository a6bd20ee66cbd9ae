import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildReference } from '../../codegen/reference.ts';
import { findChromium, launch, openOffline } from '../support/browser.ts';

const root = new URL('../../', import.meta.url);
const contract = parse(await readFile(new URL('openapi.yaml', root), 'utf8'));
const folder = await mkdtemp(join(tmpdir(), 'reference-'));
const file = join(folder, 'index.html');
afterAll(() => rm(folder, { recursive: true }));
beforeAll(() => buildReference(file));

interface Operation {
  route: string;
  place: string;
  tag: string;
  summary: string;
  operation: any;
}

const operations: Operation[] = Object.entries<any>(contract.paths).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    place: `${operation.tags[0]}/${operation.operationId}`.toLowerCase(),
    tag: operation.tags[0],
    summary: operation.summary,
    operation,
  })),
);
/** The lists of codes, by the schema that they stand in: its own, or that of one of its properties. */
const codeLists = Object.entries<any>(contract.components.schemas).flatMap(([name, schema]) =>
  [schema, ...Object.values<any>(schema.properties ?? {})]
    .filter((one) => one.enum?.length > 2)
    .map((one) => [name, one.enum] as [string, string[]]),
);

function resolve(node: any): any {
  if (node.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((found: any, step: string) => found[step], contract);
}

/** Text as it is read: without marks of Markdown, with single spaces. */
function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\s+/g, ' ').trim();
}

async function textOf(locator: Locator): Promise<string> {
  return plain(await locator.innerText());
}

describe('the file of the reference page', () => {
  it('tells the browser first of all to load nothing from elsewhere', async () => {
    const page = await readFile(file, 'utf8');
    const policy = /<head>\s*<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(page)?.[1];
    const directives = policy?.split(';').map((directive) => directive.trim()) ?? [];
    expect(directives).toContain("default-src 'none'");
    expect(
      directives.filter((directive) => /https?:|\*|'self'|connect-src|frame-src/.test(directive)),
    ).toEqual([]);
  });

  it('names no script, style, font or image of elsewhere', async () => {
    const markup = (await readFile(file, 'utf8')).replace(/<script[^>]*>[\s\S]*?<\/script>/g, (script) =>
      script.slice(0, script.indexOf('>') + 1),
    );
    const loaded = [
      ...markup.matchAll(/<(?!a\b)[^>]*\s(?:src|href|srcset|action)\s*=\s*["']?([^"'\s>]+)/g),
      ...markup.matchAll(/url\(\s*["']?([^"')]+)/g),
      ...markup.matchAll(/@import\s+["']?([^"';]+)/g),
    ].map(([, url = '']) => url);
    expect(loaded.filter((url) => !/^(data:|#|\/(?!\/))/.test(url))).toEqual([]);
  });

  it('holds no address of the mark that Redoc loads, and tells Redoc to report nothing', async () => {
    const page = await readFile(file, 'utf8');
    expect(page.includes('cdn.redoc.ly')).toBe(false);
    expect(/__redoc_options = (\{.*\});/.exec(page)?.[1]).toContain('"disableTelemetry":true');
  });
});

const chromium = findChromium();
if (!chromium) {
  console.log('skipped: the reference page in a browser, as no Chromium is on PATH or in CHROMIUM_PATH');
}

describe.skipIf(!chromium)('the reference page in a browser', () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await launch(chromium!);
    page = await openOffline(browser, faults);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(faults.splice(0)).toEqual([]));

  /** Brings a place of the reference page into view. */
  async function show(place = ''): Promise<Locator> {
    await page.goto(`${pathToFileURL(file).href}#/${place}`);
    const section = place ? page.locator(`[id="${place}"]`) : page.locator('#api-content');
    await section.getByRole('heading').first().waitFor();
    return section;
  }

  /** Chooses each of the examples in a panel by its summary; one alone is there without being chosen. */
  async function expectExamples(panel: Locator, examples: Record<string, any>): Promise<void> {
    const [first, ...further] = Object.values(examples).map(resolve);
    const shown = panel.locator('pre');
    await expect.poll(() => shown.innerText()).toContain(Object.keys(first.value)[0]);
    if (further.length === 0) return;
    const choice = panel.getByRole('button', { name: 'Example' });
    for (const { summary } of [...further, first]) {
      await choice.click();
      await page.getByRole('menuitem').getByText(summary, { exact: true }).click();
      await expect.poll(() => textOf(choice)).toBe(summary);
    }
  }

  it('begins with what the contract says of itself', async () => {
    const section = await show();
    for (const [, title] of contract.info.description.matchAll(/^## (.+)$/gm))
      await section.getByRole('heading', { name: title }).waitFor();
    expect(await section.locator('table tr').count()).toBeGreaterThan(5);
  });

  describe.each(operations)('$route', ({ place, tag, summary, operation }) => {
    it('is reached through the navigation', async () => {
      await show();
      await page.getByRole('link', { name: tag, exact: true }).click();
      await page.getByRole('link', { name: summary }).first().click();
      await page.locator(`[id="${place}"]`).getByRole('heading', { name: summary }).waitFor();
      expect(page.url()).toContain(`#/${place}`);
    });

    it('has its description, its parameters and its examples', async () => {
      const section = await show(place);
      const text = await textOf(section);
      expect(text).toContain(summary);
      expect(text).toContain(plain(operation.description.split('\n\n')[0]));
      for (const parameter of (operation.parameters ?? []).map(resolve)) {
        expect(text).toContain(`${parameter.name} ${parameter.schema.type}`);
        expect(text).toContain(plain(parameter.description));
      }
      if (operation.requestBody) {
        const { examples } = resolve(operation.requestBody).content['application/json'];
        // Another panel, before that of the request, shows how to send a key.
        const panels = section.locator('[data-component-name="Panel/Panel"]');
        await expectExamples(panels.filter({ has: page.locator('pre') }).first(), examples);
      }
    });

    it('has each of its answers, with headers and examples', async () => {
      const section = await show(place);
      for (const [status, reference] of Object.entries<any>(operation.responses)) {
        const { description, headers, content } = resolve(reference);
        await section.getByRole('tab', { name: status, exact: true }).click();
        await expect.poll(() => textOf(section)).toContain(plain(description));
        for (const header of Object.keys(headers)) expect(await textOf(section)).toContain(header);
        const panel = section.locator('[data-component-name="Panel/Panel"]').last();
        await expectExamples(panel, content['application/json'].examples);
      }
    });
  });

  it.each(['payments/verifypayment', 'payments/settlepayment'])(
    'tells at %s what each code of a refusal means',
    async (place) => {
      const section = await show(place);
      await section.getByRole('tab', { name: '200', exact: true }).click();
      for (const code of contract.components.schemas.ReasonCode.enum)
        await section.locator('td:first-child').getByText(code, { exact: true }).waitFor();
    },
  );

  it.each(codeLists)('has each code of %s in a table, in one line', async (name, codes) => {
    const cells = (await show(`schemas/${name.toLowerCase()}`)).locator('td:first-child code');
    await expect.poll(() => cells.allInnerTexts()).toEqual(codes);
    for (const cell of await cells.all()) expect((await cell.boundingBox())?.height).toBeLessThan(30);
  });

  it('has each schema under its name', async () => {
    await show('schemas/paymentrequirements');
    for (const name of Object.keys(contract.components.schemas))
      await page.locator(`a[href="#/schemas/${name.toLowerCase()}"]`).first().waitFor();
  });

  it('finds an operation by a word of its parameters', async () => {
    await show();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search docs').fill('cursor');
    const found = page.getByTestId('search-dialog').getByRole('link', { name: '/discovery/search' });
    await found.first().waitFor();
    await found.first().click();
    await page.locator('[id="discovery/searchresources"]').waitFor();
    expect(page.url()).toContain('#/discovery/searchresources');
  });

  describe('on a phone', () => {
    beforeAll(async () => {
      await page.setViewportSize({ width: 390, height: 900 });
      await page.reload();
    });

    it('fits', async () => {
      for (const place of ['', ...operations.map((one) => one.place), 'schemas/reasoncode']) {
        await show(place);
        const [content, window] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.innerWidth]',
        );
        expect(content, place).toBeLessThanOrEqual(window);
      }
    });

    it('has its navigation, too', async () => {
      await show();
      await page.getByRole('button', { name: 'Open navigation menu' }).click();
      await page.getByRole('link', { name: 'Discovery', exact: true }).click();
      await page.locator('[id="discovery/listresources"]').getByRole('heading').first().waitFor();
    });
  });
});
