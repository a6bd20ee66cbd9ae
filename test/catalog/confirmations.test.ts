import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { CONFIRMED_FOR_MS } from '../../src/catalog/limits.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { binaries, openPostgres, type PostgresServer } from '../postgres/server.ts';
import { silent } from '../support/service.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, HOME, muxed, sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const NOW = Date.now();
const HOUR_MS = 3_600_000;
const SHARED = 'that instances share';

const isSkipped = (name: string): boolean => name === SHARED && binaries === undefined;
let postgres: PostgresServer | undefined;
beforeAll(async () => void (postgres = binaries ? await openPostgres() : undefined));
afterAll(() => postgres?.close());

async function newDatabase(url?: string): Promise<Database> {
  const db = createDatabase({ url: url ?? (await postgres!.database()), log: silent });
  onTestFinished(() => db.close());
  return db;
}

async function openIn(place: { dbPath: string; db?: Database }): Promise<Catalog> {
  const limits = { submitBudgetMs: 20_000, ownWriteWaitMs: 10_000, logPollMs: 100 };
  const catalog = await openCatalog({ ...place, log: silent, limits });
  onTestFinished(() => catalog.close());
  await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
  return catalog;
}

/** Signs for a listing, and says nothing else. */
const confirm = ({ sellers }: Catalog, signedAtMs = NOW, key = 'a', owner = ALICE) =>
  sellers.describe({
    ...{ listing: { resource: `${HOME}/${key}`, type: 'http', toolName: '' }, owner, signedAtMs },
    metadata: {},
  });
const confirmed = (signedAtMs = NOW) => ({
  at: new Date(signedAtMs).toISOString(),
  until: new Date(signedAtMs + CONFIRMED_FOR_MS).toISOString(),
});
const listOf = async ({ list }: Catalog, filters = {}) =>
  (await readPage<DiscoveryListResponse>(await list({ filters }))).items;
const shown = async (catalog: Catalog) =>
  (await listOf(catalog)).map((listing) => listing.confirmed ?? 'not confirmed');

/** A payment of another recipient that the origin names. */
const claimed = (payTo: string) => ({
  ...sold('a', { payTo, description: 'moon' }),
  claim: { verified: { by: 'well-known', ...confirmed() } as const, named: [payTo] },
});

describe.each<[string, () => Promise<{ dbPath: string; db?: Database }>]>([
  ['in memory', async () => ({ dbPath: IN_MEMORY })],
  ['in a file', async () => ({ dbPath: join(temporaryFolder(), 'catalog.db') })],
  [SHARED, async () => ({ dbPath: join(temporaryFolder(), 'catalog.db'), db: await newDatabase() })],
])('that a recipient has signed for its listing, in a catalog %s,', (name, place) => {
  const given = test.skipIf(isSkipped(name));

  async function open(...keys: string[]): Promise<Catalog> {
    const catalog = await openIn(await place());
    for (const key of keys) await catalog.submit(sold(key, { payTo: ALICE }));
    return catalog;
  }

  given('is shown by lists and searches, through later payments, and changes nothing else', async () => {
    const catalog = await open('a', 'b');
    const before = await listOf(catalog);
    expect(await confirm(catalog)).toBe('shown');
    expect(await listOf(catalog)).toEqual([{ ...before[0], confirmed: confirmed() }, before[1]]);
    await catalog.submit(sold('a', { payTo: ALICE, description: 'rain' }));
    const found = await catalog.search({ query: 'rain', filters: {} });
    expect((await readPage<DiscoverySearchResponse>(found)).resources).toMatchObject([
      { description: 'a rain', confirmed: confirmed() },
    ]);
  });

  given('is also said by a description', async () => {
    const catalog = await open('a');
    const listing = { resource: `${HOME}/a`, type: 'http', toolName: '' } as const;
    const metadata = { description: 'moon' };
    await catalog.sellers.describe({ listing, owner: ALICE, signedAtMs: NOW, metadata });
    expect(await listOf(catalog)).toMatchObject([{ ...metadata, confirmed: confirmed() }]);
  });

  given('is no proof of the origin', async () => {
    const catalog = await open('a', 'b');
    await confirm(catalog);
    const verified = { by: 'live-402', ...confirmed() } as const;
    await catalog.proofs.record({ id: 2, owner: ALICE, verified });
    expect((await listOf(catalog, { verified: true })).map(({ resource }) => resource)).toEqual([
      `${HOME}/b`,
    ]);
    const unproven = await catalog.proofs.unproven({ origin: HOME, payTo: ALICE, untilBefore: NOW });
    expect(unproven).toMatchObject([{ resource: `${HOME}/a`, provenUntil: null }]);
    await catalog.proofs.record({ id: 1, owner: ALICE, verified });
    expect((await listOf(catalog))[0]).toMatchObject({ verified, confirmed: confirmed() });
  });

  given('is nobody else’s to say', async () => {
    const catalog = await open('a');
    for (const other of [BOB, muxed(ALICE, 1n)])
      expect(await confirm(catalog, NOW, 'a', other)).toBe('unknown');
    expect(await confirm(catalog, NOW, 'c')).toBe('unknown');
    const settled = sold('b', { payTo: BOB });
    const resource = { ...(settled.resource as object), confirmed: confirmed() };
    await catalog.submit({
      ...settled,
      resource,
      extensions: { ...(settled.extensions as object), ...resource },
    });
    expect(await shown(catalog)).toEqual(['not confirmed', 'not confirmed']);
  });

  given('ends, unless it is signed again', async () => {
    const catalog = await open('a', 'b');
    await confirm(catalog, NOW - CONFIRMED_FOR_MS, 'a');
    await confirm(catalog, NOW - CONFIRMED_FOR_MS + HOUR_MS, 'b');
    expect(await shown(catalog)).toEqual(['not confirmed', confirmed(NOW - CONFIRMED_FOR_MS + HOUR_MS)]);
    expect(await confirm(catalog, NOW - CONFIRMED_FOR_MS, 'a')).toBe('outdated');
    expect(await confirm(catalog, NOW, 'a')).toBe('shown');
    expect((await shown(catalog))[0]).toEqual(confirmed());
  });

  given('does not keep the listing from the recipient that the origin names, and ends then', async () => {
    const catalog = await open('a');
    await confirm(catalog);
    expect(await catalog.submit(sold('a', { payTo: BOB }))).toMatchObject({ status: 'rejected' });
    expect(await shown(catalog)).toEqual([confirmed()]);
    expect(await catalog.submit(claimed(BOB))).toEqual({ status: 'success' });
    expect(await listOf(catalog)).toMatchObject([{ movedFrom: { payTo: ALICE }, accepts: [{ payTo: BOB }] }]);
    expect(await shown(catalog)).toEqual(['not confirmed']);
    expect(await confirm(catalog, NOW + 1)).toBe('unknown');
    // The new owner may sign with an earlier time than the previous owner did.
    expect(await confirm(catalog, NOW - 1, 'a', BOB)).toBe('shown');
    expect(await shown(catalog)).toEqual([confirmed(NOW - 1)]);
  });

  given('is noted while the listing is hidden, and not while it is blocked', async () => {
    const catalog = await open('a', 'b');
    await catalog.keeper.hide(1, BY_ADA);
    expect(await confirm(catalog)).toBe('hidden');
    expect(await shown(catalog)).toEqual(['not confirmed']);
    await catalog.keeper.unhide(1, BY_ADA);
    const target = { kind: 'recipient', value: ALICE } as const;
    await catalog.keeper.block(target, BY_ADA);
    expect(await confirm(catalog, NOW, 'b')).toBe('hidden');
    expect(await listOf(catalog)).toEqual([]);
    await catalog.keeper.unblock(target, BY_ADA);
    await expect.poll(() => shown(catalog)).toEqual([confirmed(), 'not confirmed']);
  });

  given(
    'stays through the first payment in a Stellar asset, which leaves nothing that others declared',
    async () => {
      const catalog = await open();
      await catalog.submit({ ...sold('a', { payTo: ALICE }), isStellarAsset: false });
      await confirm(catalog);
      await catalog.submit({ ...sold('a', { payTo: ALICE, description: 'moon' }), isStellarAsset: true });
      expect(await listOf(catalog)).toMatchObject([{ description: 'a moon', confirmed: confirmed() }]);
    },
  );
});

test.skipIf(binaries === undefined)(
  'all instances that share a catalog show that a recipient has signed, and one that comes later',
  async () => {
    const url = await postgres!.database();
    const folder = temporaryFolder();
    const open = async (name: string) =>
      openIn({ dbPath: join(folder, `${name}.db`), db: await newDatabase(url) });
    const [one, other] = [await open('one'), await open('other')];
    await one.submit(sold('a', { payTo: ALICE }));
    await confirm(one);
    for (const catalog of [other, await open('late')])
      await expect.poll(() => shown(catalog)).toEqual([confirmed()]);
    expect(await confirm(other)).toBe('outdated');
    await other.submit(claimed(BOB));
    for (const catalog of [one, other, await open('last')])
      await expect.poll(() => shown(catalog)).toEqual(['not confirmed']);
  },
);
