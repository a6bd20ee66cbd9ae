import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog, type ProofPlace, type Verified } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { silent } from '../support/service.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, HOME, muxed, sold, type Sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const OTHER = 'https://other.example.com:8443';
const OWNED_BY_OTHER = 'bazaar_listing_owned_by_other_payee';
const DAY_MS = 24 * 3600 * 1000;
const NOW = Date.now();
const ALL = NOW + 1000 * DAY_MS;

/** A proof that ends so many days from now. */
const proof = (days: number): Verified => ({
  by: 'well-known',
  at: new Date(NOW).toISOString(),
  until: new Date(NOW + days * DAY_MS).toISOString(),
});

const isSkipped = (name: string): boolean => name === SHARED && binaries === undefined;
const SHARED = 'that instances share';

async function newDatabase(url?: string): Promise<Database> {
  const db = createDatabase({ url: url ?? (await postgres.database()), log: silent });
  onTestFinished(() => db.close());
  return db;
}

const errors: string[] = [];
async function openIn(place: { dbPath: string; db?: Database }): Promise<Catalog> {
  const limits = { submitBudgetMs: 20_000, ownWriteWaitMs: 10_000, logPollMs: 100 };
  const log = { ...silent, error: (_: object, text: string) => void errors.push(text) };
  const catalog = await openCatalog({ ...place, log, limits });
  onTestFinished(() => catalog.close());
  await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
  return catalog;
}

const itemsOf = async ({ list }: Pick<Catalog, 'list'>) =>
  (await readPage<DiscoveryListResponse>(await list({ filters: {} }))).items;
const shownBy = async (catalog: Catalog) => (await itemsOf(catalog)).map(({ verified }) => verified?.by);

test.skipIf(binaries === undefined)(
  'all instances that share a catalog show a proof, and who owns a listing now',
  async () => {
    const url = await postgres.database();
    const folder = temporaryFolder();
    const open = async (name: string) =>
      openIn({ dbPath: join(folder, `${name}.db`), db: await newDatabase(url) });
    const [one, other] = [await open('one'), await open('other')];
    for (const key of ['a', 'b']) await one.submit(sold(key, { payTo: ALICE }));
    await one.proofs.record({ id: 1, owner: ALICE, verified: proof(7) });
    await expect.poll(() => shownBy(other)).toEqual(['well-known', undefined]);
    expect(await shownBy(await open('late'))).toEqual(['well-known', undefined]);
    await other.proofs.record({ id: 1, owner: ALICE, verified: proof(-1) });
    await expect.poll(() => shownBy(one)).toEqual([undefined, undefined]);

    const claim = { verified: proof(7), named: [BOB] };
    expect(await other.submit({ ...sold('b', { payTo: BOB }), claim })).toEqual({ status: 'success' });
    await one.submit(sold('c', { payTo: ALICE }));
    await one.keeper.hide(3, BY_ADA);
    for (const catalog of [one, other, await open('last')]) {
      await expect.poll(() => shownBy(catalog)).toEqual([undefined, 'well-known']);
      expect(await catalog.keeper.show(2)).toMatchObject({ listing: { payTo: BOB } });
      expect(await catalog.submit(sold('b', { payTo: ALICE }))).toMatchObject({ code: OWNED_BY_OTHER });
    }
    expect(errors).toEqual([]);
  },
);

describe.each<[string, () => Promise<{ dbPath: string; db?: Database }>]>([
  ['in memory', async () => ({ dbPath: IN_MEMORY })],
  ['in a file', async () => ({ dbPath: join(temporaryFolder(), 'catalog.db') })],
  [SHARED, async () => ({ dbPath: join(temporaryFolder(), 'catalog.db'), db: await newDatabase() })],
])('proofs in a catalog %s', (name, place) => {
  async function open(...keys: string[]) {
    const catalog = await openIn(await place());
    const pay = (key: string, terms: Partial<Sold> = {}) =>
      catalog.submit(sold(key, { payTo: ALICE, ...terms }));
    for (const key of keys) await pay(key);
    return { ...catalog, pay };
  }

  const unprovenOf = async ({ proofs }: Catalog, payTo: string, origin = HOME, untilBefore = NOW) =>
    (await proofs.unproven({ origin, payTo, untilBefore })).map(({ resource }) => resource);

  const given = test.skipIf(isSkipped(name));

  given('are shown by lists and searches, and kept when the listing is paid for again', async () => {
    const catalog = await open('a', 'b');
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: proof(7) });
    await catalog.pay('a', { description: 'rain' });
    expect(await itemsOf(catalog)).toEqual([
      expect.objectContaining({ description: 'a rain', verified: proof(7) }),
      expect.not.objectContaining({ verified: expect.anything() }),
    ]);
    const search = await catalog.search({ query: 'rain', filters: {} });
    expect((await readPage<DiscoverySearchResponse>(search)).resources).toEqual([
      expect.objectContaining({ verified: proof(7) }),
    ]);
  });

  given('filter lists and searches while they hold', async () => {
    const catalog = await open('a', 'b', 'c');
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: proof(7) });
    await catalog.proofs.record({ id: 2, owner: ALICE, verified: proof(-1) });
    const found = async (filters: { verified: boolean; type?: string }) => {
      const { items, pagination } = await readPage<DiscoveryListResponse>(await catalog.list({ filters }));
      expect(pagination.total).toBe(items.length);
      const search = await catalog.search({ query: 'sun', filters });
      const { resources } = await readPage<DiscoverySearchResponse>(search);
      expect(resources.map(({ resource }) => resource).sort()).toEqual(items.map(({ resource }) => resource));
      return items.map(({ resource }) => resource.slice(HOME.length + 1));
    };
    expect(await found({ verified: true })).toEqual(['a']);
    expect(await found({ verified: false, type: 'http' })).toEqual(['b', 'c']);
    await catalog.proofs.record({ id: 3, owner: ALICE, verified: proof(1) });
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: undefined });
    expect(await found({ verified: true, type: 'http' })).toEqual(['c']);
    expect(await found({ verified: false })).toEqual(['a', 'b']);
    await catalog.keeper.remove(3, BY_ADA);
    expect(await found({ verified: true })).toEqual([]);
    expect(await found({ verified: false })).toEqual(['a', 'b']);
  });

  given('are not shown once they have ended, and can be taken away', async () => {
    const catalog = await open('a', 'b');
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: proof(-1) });
    await catalog.proofs.record({ id: 2, owner: ALICE, verified: proof(1) });
    expect(await shownBy(catalog)).toEqual([undefined, 'well-known']);
    await catalog.proofs.record({ id: 2, owner: ALICE, verified: undefined });
    expect(await shownBy(catalog)).toEqual([undefined, undefined]);
  });

  given('of another recipient than the owner are not written', async () => {
    const catalog = await open('a');
    await catalog.proofs.record({ id: 1, owner: BOB, verified: proof(1) });
    await catalog.proofs.record({ id: 9, owner: ALICE, verified: proof(1) });
    expect(await shownBy(catalog)).toEqual([undefined]);
    expect(await catalog.keeper.show(1)).toMatchObject({ listing: { payTo: ALICE } });
    await catalog.keeper.remove(1, BY_ADA);
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: proof(1) });
    await catalog.proofs.record({ id: 1, owner: '', verified: proof(1) });
    expect(await itemsOf(catalog)).toEqual([]);
    await catalog.pay('a');
    expect(await shownBy(catalog)).toEqual([undefined]);
  });

  given('cannot be declared by a seller', async () => {
    const catalog = await open();
    const settled = sold('a', { payTo: ALICE });
    const resource = { ...(settled.resource as object), verified: proof(7) };
    const bazaar = { ...(settled.extensions as { bazaar: object }).bazaar, verified: proof(7) };
    await catalog.submit({ ...settled, resource, extensions: { bazaar, verified: proof(7) } });
    expect(await shownBy(catalog)).toEqual([undefined]);
  });

  given('move a listing to the recipient that is named, if its owner is not', async () => {
    const catalog = await open('a', 'b');
    const claim = (...named: string[]) => ({
      ...sold('a', { payTo: BOB }),
      claim: { verified: proof(7), named },
    });
    expect(await catalog.submit(claim(BOB, ALICE))).toMatchObject({ code: OWNED_BY_OTHER });
    expect(await catalog.submit(claim(BOB, muxed(ALICE, 1n)))).toMatchObject({ code: OWNED_BY_OTHER });
    expect(await catalog.submit(claim(BOB))).toEqual({ status: 'success' });
    expect(await catalog.pay('a')).toMatchObject({ code: OWNED_BY_OTHER });
    expect(await catalog.pay('a', { payTo: BOB })).toEqual({ status: 'success' });
    const movedFrom = { payTo: ALICE, at: proof(7).at };
    expect((await itemsOf(catalog))[0]).toMatchObject({
      verified: proof(7),
      movedFrom,
      accepts: [{ payTo: BOB }],
    });
    expect(await catalog.keeper.show(1)).toMatchObject({ listing: { payTo: BOB } });
    expect(await unprovenOf(catalog, ALICE)).toEqual([`${HOME}/b`]);
  });

  given('show a listing that its earlier owner has hidden', async () => {
    const catalog = await open('a');
    const listing = { resource: `${HOME}/a`, type: 'http', toolName: '' } as const;
    await catalog.sellers.setHidden({ listing, owner: ALICE, signedAtMs: NOW, isHidden: true });
    expect(await itemsOf(catalog)).toEqual([]);
    const claim = { verified: proof(7), named: [BOB] };
    expect(await catalog.submit({ ...sold('a', { payTo: BOB }), claim })).toEqual({ status: 'success' });
    await expect.poll(() => shownBy(catalog)).toEqual(['well-known']);
    const act = { listing, owner: BOB, signedAtMs: NOW - 1000, isHidden: true };
    expect(await catalog.sellers.setHidden(act)).toBe('hidden');
  });

  given('do not show a listing that the operator has hidden, or whose new owner is blocked', async () => {
    const catalog = await open('a', 'b');
    const claim = (key: string) => ({
      ...sold(key, { payTo: BOB }),
      claim: { verified: proof(7), named: [BOB] },
    });
    await catalog.keeper.hide(1, BY_ADA);
    expect(await catalog.submit(claim('a'))).toMatchObject({ code: 'bazaar_listing_blocked' });
    await catalog.keeper.block({ kind: 'recipient', value: BOB }, BY_ADA);
    expect(await catalog.submit(claim('b'))).toMatchObject({ code: 'bazaar_listing_blocked' });
    expect((await itemsOf(catalog)).map(({ accepts }) => accepts[0]!.payTo)).toEqual([ALICE]);
  });

  given('are missing where a recipient has none at an origin, or one that ends soon', async () => {
    const catalog = await open('a', 'b', 'c', 'd');
    await catalog.pay('e', { origin: OTHER });
    await catalog.pay('f', { payTo: BOB });
    await catalog.proofs.record({ id: 1, owner: ALICE, verified: proof(7) });
    await catalog.proofs.record({ id: 2, owner: ALICE, verified: proof(2) });
    await catalog.keeper.hide(3, BY_ADA);
    expect(await unprovenOf(catalog, ALICE)).toEqual([`${HOME}/d`]);
    expect(await unprovenOf(catalog, ALICE, HOME, NOW + 3 * DAY_MS)).toEqual([`${HOME}/d`, `${HOME}/b`]);
    expect(await unprovenOf(catalog, ALICE, OTHER)).toEqual([`${OTHER}/e`]);
    expect(await unprovenOf(catalog, BOB)).toEqual([`${HOME}/f`]);
    await catalog.keeper.block({ kind: 'origin', value: HOME }, BY_ADA);
    expect(await unprovenOf(catalog, ALICE)).toEqual([]);
  });

  given('end in order, page by page', async () => {
    const keys = Array.from({ length: 230 }, (_, at) => `k${at}`);
    const catalog = await open(...keys);
    for (const at of keys.keys())
      await catalog.proofs.record({
        id: at + 1,
        owner: ALICE,
        verified: at === 0 ? undefined : proof(1 + (at % 3)),
      });
    const pages: number[] = [];
    let after: ProofPlace | undefined = { until: 0, id: 0 };
    while (after !== undefined) {
      const page = await catalog.proofs.ending({ untilBefore: NOW + 3 * DAY_MS, after });
      const { listings } = page;
      expect(listings).toEqual(listings.map(({ resource }) => ({ origin: HOME, payTo: ALICE, resource })));
      pages.push(listings.length);
      after = page.next;
    }
    expect(pages).toEqual([100, 53]);
    expect(await catalog.proofs.ending({ untilBefore: ALL, after: { until: ALL, id: 0 } })).toEqual({
      listings: [],
      next: undefined,
    });
  });
});
