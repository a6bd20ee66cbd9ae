import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openImportsInFile, type Catalog, type CatalogDeps } from '../../src/catalog/index.ts';
import { importListings } from '../../src/catalog/imports/imports.ts';
import { IMPORT_LIMITS } from '../../src/catalog/limits.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { STORES, storeInFile } from '../callers/stores.ts';
import { runInside } from '../support/cli.ts';
import { openOn } from './openOn.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, HOME, sold } from './sellers.ts';
import { bazaar, termsFor } from './settledPayments.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const SOURCE = 'https://facilitator.example.com';
const OTHER = 'https://other.example.com';

/** An item as another facilitator lists it. */
const item = (key: string, changes: object = {}) => ({
  resource: `${HOME}/${key}`,
  type: 'http',
  x402Version: 2,
  accepts: [termsFor(ALICE, 5)],
  lastUpdated: '2026-01-02T03:04:05.000Z',
  description: `${key} sun`,
  extensions: { bazaar },
  ...changes,
});

const pageOf = (...items: unknown[]): object => ({
  x402Version: 2,
  items,
  pagination: { limit: 100, offset: 0, total: items.length },
});

function fileOf(...pages: object[]): string {
  const path = join(temporaryFolder(), 'import.json');
  writeFileSync(path, pages.map((page) => JSON.stringify(page)).join('\n'));
  return path;
}

const listed = async (catalog: Catalog, limit = 100, offset = 0): Promise<DiscoveryListResponse> =>
  readPage(await catalog.list({ filters: {}, limit, offset }));

const nameOf = ({ resource }: { resource: string }): string => resource.slice(resource.lastIndexOf('/') + 1);

const names = async (catalog: Catalog): Promise<string[]> => (await listed(catalog)).items.map(nameOf);

/** Finds all that a search finds, one page after the other. */
async function walk(catalog: Catalog, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page: DiscoverySearchResponse = await readPage(
      await catalog.search({ query, filters: {}, limit: 1, cursor }),
    );
    found.push(...page.resources.map(nameOf));
    cursor = page.pagination?.cursor ?? undefined;
    if (cursor === undefined) return found;
  }
}

describe.each(STORES)('an import into the catalog in %s, while the service runs,', (_store, openStore) => {
  async function opened(deps: Partial<CatalogDeps> = {}) {
    const store = await openStore();
    const catalog = await openOn(store, deps);
    const run = (file: string, source = SOURCE) =>
      runInside(['catalog', 'import', file, '--source', source, '--json'], store.environment);
    const done = async (source: string, ...items: unknown[]) => {
      const { code, stdout } = await run(fileOf(pageOf(...items)), source);
      expect(code).toBe(0);
      return JSON.parse(stdout) as { imported: number; changed: number; removed: number; skipped: unknown[] };
    };
    return { store, catalog, run, done };
  }

  test('lists items behind all that were paid for here, with their source', async () => {
    const { store, catalog, done } = await opened();
    await catalog.submit(sold('a', { payTo: BOB }));
    expect(await done(SOURCE, item('x'), item('y'))).toEqual({
      source: SOURCE,
      imported: 2,
      changed: 2,
      removed: 0,
      skipped: [],
    });
    await catalog.submit(sold('b', { payTo: BOB }));
    await expect.poll(() => names(catalog)).toEqual(['a', 'b', 'x', 'y']);
    const { items, pagination } = await listed(catalog);
    expect(pagination.total).toBe(4);
    expect(items.map(({ source }) => source)).toEqual([undefined, undefined, SOURCE, SOURCE]);
    expect(items[2]).toEqual({
      ...item('x'),
      source: SOURCE,
      unverifiedAssets: [termsFor(ALICE, 5).asset],
    });
    const pages = await Promise.all([0, 1, 2, 3, 4].map((offset) => listed(catalog, 1, offset)));
    expect(pages.flatMap((page) => page.items.map(nameOf))).toEqual(['a', 'b', 'x', 'y']);
    const filtered = await readPage(await catalog.list({ filters: { payTo: ALICE } }));
    expect(filtered).toMatchObject({ items: [{ source: SOURCE }, { source: SOURCE }] });
    const { stdout } = await runInside(['catalog', 'export'], store.environment);
    expect((JSON.parse(stdout) as DiscoveryListResponse).items.map(nameOf)).toEqual(['a', 'b']);
  });

  test('ranks items behind all that were paid for here, and a walk visits each match once', async () => {
    const { catalog, done } = await opened();
    await done(SOURCE, item('x', { description: 'sun sun sun' }), item('y', { serviceName: 'sun' }));
    for (const key of ['a', 'b'])
      await catalog.submit(sold(key, { payTo: BOB, description: 'much else, and at last the sun' }));
    await expect.poll(() => names(catalog)).toHaveLength(4);
    const found = await walk(catalog, 'sun');
    expect(found.slice(0, 2).sort()).toEqual(['a', 'b']);
    expect(found.slice(2).sort()).toEqual(['x', 'y']);
  });

  test('replaces what the same source had, and nothing else', async () => {
    const { catalog, done } = await opened();
    await done(SOURCE, item('x'), item('y'));
    await done(OTHER, item('z'), item('x'));
    expect(await done(SOURCE, item('y'), item('w', { description: 'new' }))).toMatchObject({
      imported: 2,
      changed: 1,
      removed: 1,
    });
    await expect.poll(() => names(catalog)).toEqual(['y', 'z', 'w']);
    expect(await done(OTHER)).toMatchObject({ imported: 0, removed: 1 });
    await expect.poll(() => names(catalog)).toEqual(['y', 'w']);
  });

  test('gives nobody a resource: the first payment takes it over as if nothing had been there', async () => {
    const { catalog, done } = await opened();
    await done(SOURCE, item('x', { serviceName: 'Theirs', accepts: [termsFor(ALICE, 5)] }));
    await expect.poll(() => names(catalog)).toEqual(['x']);
    expect(await catalog.submit(sold('x', { payTo: BOB }))).toEqual({ status: 'success' });
    const [taken] = (await listed(catalog)).items;
    expect(taken).toMatchObject({ accepts: [{ payTo: BOB }], description: 'x sun' });
    expect(taken).not.toHaveProperty('source');
    expect(taken).not.toHaveProperty('serviceName');
    expect(taken).not.toHaveProperty('unverifiedAssets');
    expect(await catalog.submit(sold('x', { payTo: ALICE }))).toMatchObject({
      code: 'bazaar_listing_owned_by_other_payee',
    });
    expect(await done(SOURCE, item('x'))).toMatchObject({
      imported: 0,
      skipped: [{ index: 0, code: 'import_paid_here' }],
    });
    expect((await listed(catalog)).items).toEqual([taken]);
  });

  test('skips items that break a rule, and names each', async () => {
    const { catalog, done } = await opened();
    const { skipped } = await done(
      SOURCE,
      null,
      item('a'),
      item('b', { resource: 'http://127.0.0.1/b' }),
      item('c', { accepts: [] }),
      item('d', { accepts: [{ ...termsFor(ALICE, 1), payTo: 'a\u0000b' }] }),
      item('e', { extensions: { bazaar: 1 } }),
      item('f', { extensions: { bazaar: { ...bazaar, more: 'x'.repeat(70_000) } } }),
      item('g', { lastUpdated: 'once' }),
      item('h', { x402Version: 1 }),
      item('j', { lastUpdated: { toString: 1 } }),
      item('k', { lastUpdated: '-271821-04-20T00:00:00.000Z' }),
      item('i', { verified: { by: 'live-402' }, movedFrom: { payTo: BOB }, source: 'me', hidden: false }),
    );
    expect(skipped).toMatchObject([
      { index: 0, code: 'import_invalid_listing' },
      { index: 2, code: 'bazaar_resource_url_invalid' },
      { index: 3, code: 'import_invalid_listing' },
      { index: 4, code: 'import_invalid_listing' },
      { index: 5, code: 'bazaar_extension_not_object' },
      { index: 6, code: 'bazaar_extensions_too_large' },
      { index: 7, code: 'import_invalid_listing' },
      { index: 8, code: 'import_invalid_listing' },
      { index: 9, code: 'import_invalid_listing' },
      { index: 10, code: 'import_invalid_listing' },
    ]);
    await expect.poll(() => names(catalog)).toEqual(['a', 'i']);
    const [, last] = (await listed(catalog)).items;
    expect(last).toMatchObject({ source: SOURCE });
    expect(Object.keys(last!)).not.toEqual(expect.arrayContaining(['verified']));
    expect(Object.keys(last!)).not.toEqual(expect.arrayContaining(['movedFrom']));
  });

  test('skips terms with a number that JSON cannot write again', async () => {
    const { run } = await opened();
    const terms = { ...termsFor(ALICE, 1), maxTimeoutSeconds: 'endless' };
    const file = join(temporaryFolder(), 'import.json');
    const text = JSON.stringify(pageOf(item('a', { accepts: [terms] })));
    writeFileSync(file, text.replace('"endless"', '1e999'));
    const { stdout } = await run(file);
    expect(JSON.parse(stdout)).toMatchObject({ imported: 0, skipped: [{ code: 'import_invalid_listing' }] });
  });

  test('follows the keeper', async () => {
    const { catalog, done } = await opened();
    await done(SOURCE, item('x'), item('y', { accepts: [termsFor(BOB, 1)] }), item('z'));
    await expect.poll(() => names(catalog)).toEqual(['x', 'y', 'z']);
    await catalog.keeper.remove(1, BY_ADA);
    await catalog.keeper.block({ kind: 'recipient', value: BOB }, BY_ADA);
    await expect.poll(() => names(catalog)).toEqual(['z']);
    expect(await done(OTHER, item('w', { accepts: [termsFor(ALICE, 1), termsFor(BOB, 1)] }))).toMatchObject({
      skipped: [{ index: 0, code: 'bazaar_listing_blocked' }],
    });
  });

  test('leaves out what a later block of any of its recipients covers', async () => {
    const { catalog, done } = await opened();
    const items = [item('x'), item('y', { accepts: [termsFor(ALICE, 1), termsFor(BOB, 1)] })];
    await done(SOURCE, ...items);
    await expect.poll(() => names(catalog)).toEqual(['x', 'y']);
    await catalog.keeper.block({ kind: 'recipient', value: BOB }, BY_ADA);
    expect(await done(SOURCE, ...items)).toMatchObject({
      removed: 1,
      skipped: [{ index: 1, code: 'bazaar_listing_blocked' }],
    });
    await expect.poll(() => names(catalog)).toEqual(['x']);
  });

  test('takes nothing from what a recipient may list in an hour', async () => {
    const { catalog, done } = await opened({ newListingsPerHour: 1 });
    await done(SOURCE, item('x'), item('y'));
    expect(await catalog.submit(sold('a', { payTo: ALICE }))).toEqual({ status: 'success' });
    expect(await catalog.submit(sold('b', { payTo: ALICE }))).toMatchObject({
      code: 'bazaar_too_many_new_listings',
    });
  });

  test('takes one page in each line, and imports nothing if one of them is cut off', async () => {
    const { catalog, run } = await opened();
    expect(await run(fileOf(pageOf(item('x')), pageOf(item('y'))))).toMatchObject({ code: 0 });
    await expect.poll(() => names(catalog)).toEqual(['x', 'y']);
    const cut = fileOf(pageOf(item('z')));
    writeFileSync(cut, `${JSON.stringify(pageOf(item('z')))}\n{"items":[`);
    expect(await run(cut)).toMatchObject({
      code: 1,
      stderr: 'Line 2 is not a page with items. Nothing was imported.\n',
    });
    expect(await names(catalog)).toEqual(['x', 'y']);
  });
});

test.each(STORES.filter(([name]) => name === 'PostgreSQL'))(
  'an instance on %s that begins later has the imported listings behind the others, too',
  async (_store, openStore) => {
    const store = await openStore();
    await openOn(store);
    const file = fileOf(pageOf(item('x'), item('y')));
    await runInside(['catalog', 'import', file, '--source', SOURCE], store.environment);
    const options = { ...store.options, dbPath: join(temporaryFolder(), 'later.db') };
    const later = await openOn({ ...store, options });
    await later.submit(sold('a', { payTo: BOB }));
    await expect.poll(() => names(later)).toEqual(['a', 'x', 'y']);
    expect(await walk(later, 'sun')).toEqual(['a', 'x', 'y']);
  },
);

test('the hybrid ranking puts imported items behind all that were paid for here, too', async () => {
  const store = storeInFile();
  const catalog = await openOn(store, { model: 'built-in' });
  const file = fileOf(
    pageOf(item('x', { description: 'Weather forecast.' }), item('y', { description: 'The weather.' })),
  );
  await runInside(['catalog', 'import', file, '--source', SOURCE], store.environment);
  const description = 'A forecast of the weather, trains and buses.';
  for (const key of ['a', 'b']) await catalog.submit(sold(key, { payTo: BOB, description }));
  await expect
    .poll(async () => await readPage(await catalog.search({ query: 'weather', filters: {} })))
    .toMatchObject({ ranking: 'hybrid' });
  const found = await walk(catalog, 'weather forecast');
  expect(found.slice(0, 2).sort()).toEqual(['a', 'b']);
  expect(found.slice(2).sort()).toEqual(['x', 'y']);
});

test('no more than so many listings are imported', async () => {
  const store = storeInFile();
  const catalog = await openOn(store);
  const limits = { ...IMPORT_LIMITS, maxListings: 2 };
  const { imports, close } = openImportsInFile(store.options.dbPath!, { busyTimeoutMs: 5_000, limits });
  onTestFinished(close);
  const items = [item('x'), item('y'), item('z')];
  const request = { source: SOURCE, items };
  expect(await importListings(imports, request, () => {})).toMatchObject({
    imported: 2,
    skipped: [{ index: 2, code: 'import_too_many_listings' }],
  });
  expect(await names(catalog)).toEqual(['x', 'y']);
});

test.each(['facilitator.example.com', 'http://facilitator.example.com', 'https://x.example.com/path', ''])(
  'the source %j is refused',
  async (source) => {
    const { code } = await runInside(['catalog', 'import', 'none.json', '--source', source], {});
    expect(code).toBe(64);
  },
);
