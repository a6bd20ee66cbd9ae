import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog, type SettledPayment } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { runMigrate } from '../postgres/filledFiles.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { silent } from '../support/service.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, HOME, muxed, sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');

const limits = { submitBudgetMs: 20_000, ownWriteWaitMs: 10_000 };
const listing = (key: string) => ({ resource: `${HOME}/${key}`, type: 'http', toolName: '' }) as const;
const act = (isHidden: boolean, signedAtMs: number, owner = ALICE, key = 'a') => ({
  ...{ listing: listing(key), owner, isHidden, signedAtMs },
});
const hide = (signedAtMs: number) => act(true, signedAtMs);
const restore = (signedAtMs: number) => act(false, signedAtMs);

const keysOf = (items: readonly { resource: string }[]) =>
  items.map(({ resource }) => resource.slice(resource.lastIndexOf('/') + 1));

/** What lists and searches show. */
async function shown({ list, search }: Catalog): Promise<string[]> {
  const page = await readPage<DiscoveryListResponse>(await list({ filters: {}, limit: 100 }));
  const found = await readPage<DiscoverySearchResponse>(await search({ query: 'sun', filters: {} }));
  const keys = keysOf(page.items);
  expect(page.pagination.total).toBe(keys.length);
  expect(keysOf(found.resources).sort()).toEqual([...keys].sort());
  return keys;
}

async function idOf({ keeper }: Catalog, key: string): Promise<number> {
  const page = await keeper.list({ text: `/${key}` });
  if ('code' in page) throw new Error(page.code);
  return page.listings[0]!.id;
}

if (binaries === undefined) console.log('skipped: sellers of a shared catalog, without PostgreSQL');

async function open(
  dbPath: string,
  databaseUrl?: string,
  beforeQuery: (statement: string) => Promise<void> | void = () => {},
): Promise<Catalog> {
  const database = databaseUrl === undefined ? undefined : createDatabase({ url: databaseUrl, log: silent });
  const db = database && {
    ...database,
    async query(...[statement, values]: Parameters<Database['query']>) {
      await beforeQuery(statement);
      return database.query(statement, values);
    },
  };
  const catalog = await openCatalog({ dbPath, log: silent, db, limits });
  onTestFinished(async () => {
    await catalog.close();
    await database?.close();
  });
  await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
  return catalog;
}

const pathIn = (folder = temporaryFolder()): string => join(folder, 'catalog.db');

const places: [string, () => Promise<Catalog>][] = [
  ['in memory', () => open(IN_MEMORY)],
  ['in a file', () => open(pathIn())],
];
if (binaries !== undefined)
  places.push(['in PostgreSQL', async () => open(pathIn(), await postgres.database())]);

describe.each(places)('the seller of a listing %s', (_, opened) => {
  async function filled(): Promise<Catalog> {
    const catalog = await opened();
    for (const key of ['a', 'b']) await catalog.submit(sold(key, { payTo: ALICE }));
    return catalog;
  }

  test('hides it at once, and shows it again', async () => {
    const catalog = await filled();
    expect(await catalog.sellers.setHidden(hide(1))).toBe('hidden');
    expect(await shown(catalog)).toEqual(['b']);
    expect(await catalog.sellers.setHidden(restore(2))).toBe('shown');
    expect(await shown(catalog)).toEqual(['a', 'b']);
  });

  test('keeps it hidden through later payments', async () => {
    const catalog = await filled();
    await catalog.sellers.setHidden(hide(1));
    expect(await catalog.submit(sold('a', { payTo: ALICE, description: 'sun moon' }))).toMatchObject({
      code: 'bazaar_listing_blocked',
      rejectedReason: expect.stringContaining('its seller hides it'),
    });
    expect(await shown(catalog)).toEqual(['b']);
  });

  test('does nothing by what was signed no later than the last', async () => {
    const catalog = await filled();
    expect(await catalog.sellers.setHidden(hide(5))).toBe('hidden');
    expect(await catalog.sellers.setHidden(restore(5))).toBe('outdated');
    expect(await catalog.sellers.setHidden(restore(4))).toBe('outdated');
    expect(await shown(catalog)).toEqual(['b']);
    expect(await catalog.sellers.setHidden(restore(6))).toBe('shown');
    expect(await catalog.sellers.setHidden(hide(5))).toBe('outdated');
    expect(await shown(catalog)).toEqual(['a', 'b']);
  });

  test('may sign about another listing at the same time', async () => {
    const catalog = await filled();
    await catalog.sellers.setHidden(hide(5));
    expect(await catalog.sellers.setHidden(act(true, 5, ALICE, 'b'))).toBe('hidden');
    expect(await shown(catalog)).toEqual([]);
  });

  test('is exactly the address that owns it', async () => {
    const catalog = await filled();
    for (const other of [BOB, muxed(ALICE, 1n)])
      expect(await catalog.sellers.setHidden(act(true, 1, other))).toBe('unknown');
    expect(await catalog.sellers.setHidden(act(true, 1, ALICE, 'c'))).toBe('unknown');
    expect(await shown(catalog)).toEqual(['a', 'b']);
  });

  test('does not show what the operator hides, nor the operator what the seller hides', async () => {
    const catalog = await filled();
    const { keeper, sellers } = catalog;
    const id = await idOf(catalog, 'a');
    await keeper.hide(id, BY_ADA);
    expect(await sellers.setHidden(restore(1))).toBe('hidden');
    expect(await sellers.setHidden(hide(2))).toBe('hidden');
    expect(await keeper.unhide(id, BY_ADA)).toBeUndefined();
    expect(await shown(catalog)).toEqual(['b']);
    expect(await keeper.unhide(id, BY_ADA)).toMatchObject({ code: 'keeper_already_done' });
    expect(await keeper.hide(id, BY_ADA)).toBeUndefined();
    expect(await sellers.setHidden(restore(3))).toBe('hidden');
    expect(await shown(catalog)).toEqual(['b']);
    expect(await keeper.unhide(id, BY_ADA)).toBeUndefined();
    expect(await shown(catalog)).toEqual(['a', 'b']);
    expect((await keeper.acts({})).map(({ action }) => action)).toEqual(['unhide', 'hide', 'unhide', 'hide']);
  });

  const descriptionOf = (metadata: object, signedAtMs: number, owner = ALICE) => ({
    ...{ listing: listing('a'), owner, metadata, signedAtMs },
  });
  const found = async ({ search }: Catalog, query: string) =>
    (await readPage<DiscoverySearchResponse>(await search({ query, filters: {} }))).resources;

  test('describes it: it is found by the new words and no longer by the old, until its next sale', async () => {
    const catalog = await filled();
    const { sellers } = catalog;
    const metadata = { description: 'moon', serviceName: 'Night', tags: ['dark'] };
    expect(await sellers.describe(descriptionOf(metadata, 5))).toBe('shown');
    expect(await found(catalog, 'moon')).toMatchObject([{ resource: `${HOME}/a`, ...metadata }]);
    expect(await found(catalog, 'dark')).toHaveLength(1);
    expect(keysOf(await found(catalog, 'sun'))).toEqual(['b']);
    await catalog.submit(sold('a', { payTo: ALICE, description: 'sun rain' }));
    expect(await found(catalog, 'moon')).toEqual([]);
    expect(await found(catalog, 'rain')).toMatchObject([{ serviceName: 'Night', tags: ['dark'] }]);
  });

  test('describes it by what is newer alone, and whether it is hidden or not', async () => {
    const catalog = await filled();
    const { sellers } = catalog;
    await sellers.setHidden(hide(5));
    expect(await sellers.describe(descriptionOf({ description: 'moon' }, 5))).toBe('outdated');
    expect(await sellers.describe(descriptionOf({ description: 'moon' }, 6))).toBe('hidden');
    expect(await shown(catalog)).toEqual(['b']);
    expect(await sellers.setHidden(restore(6))).toBe('outdated');
    expect(await sellers.setHidden(restore(7))).toBe('shown');
    expect(await found(catalog, 'moon')).toHaveLength(1);
    expect(await sellers.describe(descriptionOf({ description: 'sun' }, 8, BOB))).toBe('unknown');
  });

  test('does not describe what a block covers', async () => {
    const catalog = await filled();
    const target = { kind: 'origin', value: HOME } as const;
    await catalog.keeper.block(target, BY_ADA);
    expect(await catalog.sellers.describe(descriptionOf({ description: 'moon' }, 1))).toBe('hidden');
    await catalog.keeper.unblock(target, BY_ADA);
    expect(await found(catalog, 'moon')).toEqual([]);
  });

  test('does not show what a block covers, and finds it as it left it when the block ends', async () => {
    const catalog = await filled();
    const { keeper, sellers } = catalog;
    const target = { kind: 'origin', value: HOME } as const;
    await keeper.block(target, BY_ADA);
    expect(await sellers.setHidden(restore(1))).toBe('hidden');
    await sellers.setHidden(hide(2));
    await keeper.unblock(target, BY_ADA);
    expect(await shown(catalog)).toEqual(['b']);
  });

  test('loses it when the operator removes it, and a new one begins shown', async () => {
    const catalog = await filled();
    await catalog.sellers.setHidden(hide(1));
    const id = await idOf(catalog, 'a');
    await catalog.keeper.remove(id, BY_ADA);
    expect(await catalog.keeper.hide(id, BY_ADA)).toMatchObject({ code: 'keeper_unknown_listing' });
    expect(await catalog.sellers.setHidden(restore(2))).toBe('unknown');
    await catalog.submit(sold('a', { payTo: BOB }));
    expect(await shown(catalog)).toEqual(['b', 'a']);
    expect(await catalog.sellers.setHidden(act(true, 1, BOB))).toBe('hidden');
  });

  const claim = (payTo: string) => {
    const [at, until] = [0, 1_000_000_000].map((ms) => new Date(Date.now() + ms).toISOString());
    return { ...sold('a', { payTo }), claim: { verified: { by: 'well-known', at, until }, named: [payTo] } };
  };

  test.each<[string, (catalog: Catalog) => Promise<unknown>]>([
    [
      'has gone to another and come back',
      async (catalog) => {
        for (const payTo of [BOB, ALICE])
          expect(await catalog.submit(claim(payTo) as SettledPayment)).toEqual({ status: 'success' });
      },
    ],
    [
      'was removed and sold anew',
      async (catalog) => {
        await catalog.keeper.remove(await idOf(catalog, 'a'), BY_ADA);
        await catalog.submit(sold('a', { payTo: ALICE }));
      },
    ],
  ])('does nothing by what it signed before it %s', async (_name, change) => {
    const catalog = await filled();
    await catalog.sellers.setHidden(hide(5));
    await change(catalog);
    expect((await shown(catalog)).sort()).toEqual(['a', 'b']);
    for (const old of [hide(4), hide(5)]) expect(await catalog.sellers.setHidden(old)).toBe('outdated');
    expect(await catalog.sellers.describe(descriptionOf({ description: 'moon' }, 5))).toBe('outdated');
    expect((await shown(catalog)).sort()).toEqual(['a', 'b']);
    const id = await idOf(catalog, 'a');
    await catalog.keeper.hide(id, BY_ADA);
    expect(await catalog.sellers.setHidden(hide(6))).toBe('hidden');
    await catalog.keeper.unhide(id, BY_ADA);
    expect(await shown(catalog)).toEqual(['b']);
    expect(await catalog.sellers.setHidden(restore(7))).toBe('shown');
  });
});

test.skipIf(binaries === undefined)(
  'what sellers hide stays so when the catalog moves into PostgreSQL',
  async () => {
    const [path, url] = [pathIn(), await postgres.database()];
    const before = await openCatalog({ dbPath: path, log: silent, limits });
    for (const key of ['a', 'b']) await before.submit(sold(key, { payTo: ALICE }));
    await before.sellers.setHidden(hide(5));
    await before.close();
    expect((await runMigrate(path, url)).code).toBe(0);
    const catalog = await open(pathIn(), url);
    expect(await shown(catalog)).toEqual(['b']);
    expect(await catalog.sellers.setHidden(restore(5))).toBe('outdated');
    expect(await catalog.sellers.setHidden(restore(6))).toBe('shown');
    expect(await shown(catalog)).toEqual(['a', 'b']);
  },
);

test.skipIf(binaries === undefined)(
  'of two descriptions at two instances, the one that was signed later stays, whichever is written first',
  async () => {
    const url = await postgres.database();
    const description = (text: string, signedAtMs: number) => ({
      ...{ listing: listing('a'), owner: ALICE, metadata: { description: text }, signedAtMs },
    });
    const other = await open(pathIn(), url);
    await other.submit(sold('a', { payTo: ALICE }));
    let isFirst = true;
    const late = await open(pathIn(), url, async (statement) => {
      if (!/write_listing|describe_listing/.test(statement) || !isFirst) return;
      isFirst = false;
      expect(await other.sellers.describe(description('moon', 6))).toBe('shown');
    });
    await expect.poll(() => shown(late)).toEqual(['a']);
    expect(await late.sellers.describe(description('rain', 5))).toBe('outdated');
    expect(isFirst).toBe(false);
    expect(await late.sellers.describe(description('wind', 7))).toBe('shown');
    for (const { list } of [late, other])
      await expect
        .poll(async () => (await readPage<DiscoveryListResponse>(await list({ filters: {} }))).items)
        .toMatchObject([{ description: 'wind' }]);
    expect(await other.sellers.setHidden(hide(7))).toBe('outdated');
  },
);
