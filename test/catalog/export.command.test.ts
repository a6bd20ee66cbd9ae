import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import { LISTINGS_PER_READ } from '../../src/catalog/limits.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { STORES, storeInFile, type StoreOfKeys } from '../callers/stores.ts';
import { runInside } from '../support/cli.ts';
import { openOn } from './openOn.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');

const listed = async ({ list }: Catalog, offset = 0): Promise<DiscoveryListResponse> =>
  readPage(await list({ filters: {}, limit: 100, offset }));

const runExport = ({ environment }: StoreOfKeys, ...args: string[]) =>
  runInside(['catalog', 'export', ...args], environment);

describe.each(STORES)('an export of the catalog in %s, while the service runs,', (_store, openStore) => {
  test('has all listings that are shown, as one page of the list', async () => {
    const store = await openStore();
    const catalog = await openOn(store);
    for (const key of ['a', 'b', 'c', 'd']) await catalog.submit(sold(key, { payTo: ALICE }));
    await catalog.submit(sold('e', { payTo: BOB, origin: 'https://other.example.com' }));
    await catalog.keeper.hide(1, BY_ADA);
    await catalog.keeper.remove(3, BY_ADA);
    await catalog.keeper.block({ kind: 'recipient', value: BOB }, BY_ADA);
    await expect.poll(async () => (await listed(catalog)).pagination.total).toBe(2);

    const { code, stdout, stderr } = await runExport(store);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '2 listings exported\n' });
    const { items } = await listed(catalog);
    expect(items.map(({ resource }) => resource.at(-1))).toEqual(['b', 'd']);
    expect(JSON.parse(stdout)).toEqual({
      x402Version: 2,
      items,
      pagination: { limit: 2, offset: 0, total: 2 },
    });
  });

  test('has each listing once, in the order of the list, also if it takes several reads', async () => {
    const store = await openStore();
    const catalog = await openOn(store);
    const count = LISTINGS_PER_READ + 2;
    await Promise.all(
      Array.from({ length: count }, (_, at) => catalog.submit(sold(`n${at}`, { payTo: ALICE }))),
    );
    const pages = await Promise.all([0, 100, 200].map((offset) => listed(catalog, offset)));
    const { stdout } = await runExport(store);
    const exported = JSON.parse(stdout) as DiscoveryListResponse;
    expect(exported.items).toHaveLength(count);
    expect(exported.items).toEqual(pages.flatMap(({ items }) => items));
  });

  test('of an empty catalog has no items', async () => {
    const store = await openStore();
    await openOn(store);
    const { stdout } = await runExport(store);
    expect(JSON.parse(stdout)).toEqual({
      x402Version: 2,
      items: [],
      pagination: { limit: 0, offset: 0, total: 0 },
    });
  });

  test('has no text of a seller that a terminal would obey, and means the same', async () => {
    const store = await openStore();
    const catalog = await openOn(store);
    await catalog.submit(sold('a', { payTo: ALICE, description: 'x\u001b[2J\u009b31m\u202e\u2028\u0007y' }));
    const { stdout } = await runExport(store);
    expect(stdout).toMatch(/^[\x20-\x7e\n]+$/);
    expect((JSON.parse(stdout) as DiscoveryListResponse).items).toEqual((await listed(catalog)).items);
  });
});

describe('an export into a file', () => {
  test('is complete once the file has its name', async () => {
    const store = storeInFile();
    const catalog = await openOn(store);
    await catalog.submit(sold('a', { payTo: ALICE }));
    const folder = temporaryFolder();
    const out = join(folder, 'catalog.json');
    expect(await runExport(store, '--out', out)).toEqual({
      code: 0,
      stdout: '',
      stderr: '1 listing exported\n',
    });
    expect(readdirSync(folder)).toEqual(['catalog.json']);
    expect((JSON.parse(readFileSync(out, 'utf8')) as DiscoveryListResponse).items).toHaveLength(1);
  });

  test('never replaces a file', async () => {
    const store = storeInFile();
    await openOn(store);
    const out = join(temporaryFolder(), 'catalog.json');
    writeFileSync(out, 'mine');
    expect(await runExport(store, '--out', out)).toMatchObject({
      code: 1,
      stderr: `${out} exists: name a file that does not\n`,
    });
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  test('leaves no file behind if the catalog cannot be read', async () => {
    const folder = temporaryFolder();
    const dbPath = join(folder, 'none.db');
    const { code } = await runInside(['catalog', 'export', '--out', join(folder, 'catalog.json')], {
      DB_PATH: dbPath,
    });
    expect(code).toBe(78);
    expect(existsSync(dbPath)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('fails if its folder does not exist', async () => {
    const store = storeInFile();
    await openOn(store);
    const { code, stderr } = await runExport(store, '--out', join(temporaryFolder(), 'no', 'catalog.json'));
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no file was written: /),
    });
  });
});
