import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, openSharedKeeper, type Catalog } from '../../src/catalog/index.ts';
import type { CatalogLimits } from '../../src/catalog/limits.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { readPage } from '../catalog/pages.ts';
import { createRandom } from '../catalog/random.ts';
import { accountOf, BY_ADA, HOME, muxed, sold, type Sold } from '../catalog/sellers.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { silent } from '../support/service.ts';
import { runMigrate } from './filledFiles.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from './server.ts';

if (binaries === undefined) console.log('skipped: the keeper of a shared catalog, without PostgreSQL');

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const OTHER = 'https://other.example.com';
const SEED = 20261201;

const REFUSED = { status: 'rejected', code: 'bazaar_listing_blocked' };

describe.skipIf(binaries === undefined)('the keeper of a catalog that instances share', () => {
  let postgres: PostgresServer;
  let url: string;
  let folder: string;
  let errors: string[];

  beforeAll(async () => void (postgres = await openPostgres()));
  beforeEach(async () => {
    url = await postgres.database();
    folder = temporaryFolder();
    errors = [];
  });
  afterAll(() => postgres?.close());

  const log = { ...silent, error: (_: object, text: string) => void errors.push(text) };
  const pathOf = (name: string): string => join(folder, `${name}.db`);
  /** Patient, so that nothing depends on how fast this machine is. */
  const limits: Partial<CatalogLimits> = { submitBudgetMs: 20_000, ownWriteWaitMs: 10_000, logPollMs: 100 };

  function connect() {
    const db = createDatabase({ url, log: silent });
    onTestFinished(() => db.close());
    return db;
  }

  async function open(name: string, changes: Partial<CatalogLimits> = {}) {
    const catalog = await openCatalog({
      dbPath: pathOf(name),
      log,
      db: connect(),
      limits: { ...limits, ...changes },
    });
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (!isClosed) await catalog.close();
      isClosed = true;
    };
    onTestFinished(close);
    await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
    return { ...catalog, close };
  }

  const pay = ({ submit }: Catalog, key: string, terms: Partial<Sold> = {}) =>
    submit(sold(key, { payTo: ALICE, ...terms }));

  const keysOf = (items: readonly { resource: string }[]): string[] =>
    items.map(({ resource }) => resource.slice(resource.lastIndexOf('/') + 1));
  async function listed({ list }: Catalog, filters = {}): Promise<string[]> {
    const page = await readPage<DiscoveryListResponse>(await list({ filters, limit: 100 }));
    expect(page.pagination.total).toBe(page.items.length);
    return keysOf(page.items);
  }
  const searched = async ({ search }: Catalog, query = 'sun', cursor?: string) =>
    readPage<DiscoverySearchResponse>(
      await search({ query, filters: {}, limit: 3, ...(cursor && { cursor }) }),
    );

  async function idOf({ keeper }: Pick<Catalog, 'keeper'>, key: string): Promise<number> {
    const page = await keeper.list({ text: `/${key}`, limit: 1 });
    if ('code' in page) throw new Error(page.code);
    return page.listings[0]!.id;
  }

  test('acts at once where it is asked, and within a second at the others', async () => {
    const [one, other] = [await open('one'), await open('other')];
    for (const key of ['a', 'b', 'c']) await pay(one, key);
    await pay(one, 'd', { payTo: muxed(BOB, 1n) });
    expect(await one.keeper.hide(await idOf(one, 'a'), BY_ADA)).toBeUndefined();
    expect(await listed(one)).toEqual(['b', 'c', 'd']);
    expect(await one.keeper.remove(await idOf(one, 'b'), BY_ADA)).toBeUndefined();
    expect(await one.keeper.block({ kind: 'recipient', value: BOB }, BY_ADA)).not.toHaveProperty('code');
    expect(await listed(one)).toEqual(['c']);
    await expect.poll(() => listed(other)).toEqual(['c']);
    await one.keeper.unhide(await idOf(one, 'a'), BY_ADA);
    await one.keeper.unblock({ kind: 'recipient', value: muxed(BOB, 5n) }, BY_ADA);
    await expect.poll(() => listed(other)).toEqual(['a', 'c', 'd']);
    expect(errors).toEqual([]);
  });

  test('carries out acts on one target in one order, whoever gives them at the same time', async () => {
    const instances = [await open('one'), await open('other'), { keeper: openSharedKeeper(connect().query) }];
    const [one, other] = instances as [Catalog, Catalog];
    for (const key of ['a', 'b', 'c']) await pay(one, key);
    const target = { kind: 'origin', value: HOME } as const;
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        instances.flatMap(({ keeper }) => [keeper.block(target, BY_ADA), keeper.unblock(target, BY_ADA)]),
      );
      const [latest] = await one.keeper.acts({ limit: 1 });
      const shown = latest!.action === 'block' ? [] : ['a', 'b', 'c'];
      for (const catalog of [one, other]) await expect.poll(() => listed(catalog)).toEqual(shown);
      expect(await one.keeper.blocks()).toHaveLength(shown.length === 0 ? 1 : 0);
    }
    expect(errors).toEqual([]);
  });

  test('refuses what is blocked at every instance, even if its index is behind', async () => {
    const one = await open('one');
    const behind = await open('behind', { logPollMs: 600_000, noticeWaitMs: 600_000, ownWriteWaitMs: 1 });
    await pay(one, 'a', { origin: OTHER });
    await one.keeper.block({ kind: 'origin', value: OTHER }, BY_ADA);
    expect(await pay(behind, 'a', { origin: OTHER })).toMatchObject(REFUSED);
    expect(await pay(behind, 'new', { origin: OTHER })).toMatchObject(REFUSED);
    expect(await pay(behind, 'b')).toEqual({ status: 'success' });
  });

  test('keeps a listing hidden that is paid for elsewhere, tells its seller, and shows what it said last', async () => {
    const [one, other] = [await open('one'), await open('other')];
    await pay(one, 'a');
    const id = await idOf(one, 'a');
    await one.keeper.hide(id, BY_ADA);
    expect(await pay(other, 'a', { description: 'moon' })).toMatchObject(REFUSED);
    expect(await listed(other)).toEqual([]);
    await one.keeper.unhide(id, BY_ADA);
    await expect.poll(() => listed(other)).toEqual(['a']);
    expect(keysOf((await searched(other, 'moon')).resources)).toEqual(['a']);
  });

  test('lists anew what was removed, even through an instance that has not heard of it', async () => {
    const one = await open('one');
    await pay(one, 'a');
    await pay(one, 'b');
    const behind = await open('behind', { logPollMs: 600_000, noticeWaitMs: 600_000 });
    await one.keeper.remove(await idOf(one, 'a'), BY_ADA);
    expect(await pay(behind, 'a', { payTo: ALICE, description: 'sun moon' })).toEqual({ status: 'success' });
    for (const instance of [one, behind]) {
      await expect.poll(() => listed(instance)).toEqual(['b', 'a']);
      expect(keysOf((await searched(instance, 'moon')).resources)).toEqual(['a']);
    }
    const { keeper } = one;
    expect(await keeper.show(1)).toMatchObject({ code: 'keeper_unknown_listing' });
    expect(await rowsOf(url, 'SELECT owner, item FROM facilitator.listing WHERE id = 1')).toEqual([
      { owner: '', item: '' },
    ]);
    expect(errors).toEqual([]);
  });

  test('fills an index after a reworded listing was removed, and finds nothing wrong with it', async () => {
    const one = await open('one');
    for (const key of ['a', 'b']) await pay(one, key);
    await pay(one, 'a', { description: 'rain' });
    await one.keeper.remove(await idOf(one, 'a'), BY_ADA);
    const late = await open('late');
    await expect.poll(() => listed(late)).toEqual(['b']);
    expect(errors).toEqual([]);
  });

  test('hides, removes and lists what PostgreSQL cannot read as JSON', async () => {
    const one = await open('one');
    const odd = sold('a', { payTo: ALICE, description: 'sun \0 \\u0000' });
    const headers = { 'x-\ud800': '\\\0 \ud800' };
    const input = { ...bazaar.info.input, headers };
    const extensions = { bazaar: { ...bazaar, info: { input } } };
    expect(await one.submit({ ...odd, extensions })).toEqual({ status: 'success' });
    const bare = openSharedKeeper(connect().query);
    for (const request of [{}, { text: '/a' }, { origin: HOME, isHidden: false }])
      expect(await bare.list(request)).toMatchObject({ listings: [{ resource: `${HOME}/a` }] });
    for (const { keeper } of [one, { keeper: bare }]) {
      expect(await keeper.hide(1, BY_ADA)).toBeUndefined();
      expect(await keeper.unhide(1, BY_ADA)).toBeUndefined();
    }
    expect(await one.keeper.remove(1, BY_ADA)).toBeUndefined();
    expect(await bare.acts({ limit: 1 })).toMatchObject([{ action: 'remove', subject: `${HOME}/a` }]);
    expect(await listed(one)).toEqual([]);
  });

  test('lets a walk go on at another instance, without what is hidden meanwhile', async () => {
    const [one, other] = [await open('one'), await open('other')];
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await pay(one, key);
    const first = await searched(one);
    await one.keeper.hide(await idOf(one, 'd'), BY_ADA);
    await one.keeper.remove(await idOf(one, 'e'), BY_ADA);
    await expect.poll(() => listed(other)).toHaveLength(4);
    const second = await searched(other, 'sun', first.pagination.cursor!);
    expect(keysOf([...first.resources, ...second.resources])).toEqual(['a', 'b', 'c', 'f']);
  });

  test('keeps its acts in the database, and reads them and the listings without an index', async () => {
    const one = await open('one');
    for (const key of ['a', 'b']) await pay(one, key);
    await pay(one, 'c', { origin: OTHER, payTo: muxed(BOB, 3n) });
    await one.keeper.hide(await idOf(one, 'a'), BY_ADA);
    await one.keeper.block({ kind: 'origin', value: OTHER }, { ...BY_ADA, reason: 'lies' });
    const bare = openSharedKeeper(connect().query);
    for (const keeper of [one.keeper, bare]) {
      const kept = async (request = {}): Promise<string[]> => {
        const page = await keeper.list(request);
        if ('code' in page) throw new Error(page.code);
        return keysOf(page.listings);
      };
      expect(await kept()).toEqual(['a', 'b', 'c']);
      expect(await kept({ payTo: BOB })).toEqual(['c']);
      expect(await kept({ origin: HOME })).toEqual(['a', 'b']);
      expect(await kept({ isHidden: true })).toEqual(['a', 'c']);
      expect(await kept({ isHidden: false })).toEqual(['b']);
      expect(await kept({ text: 'OTHER.ex' })).toEqual(['c']);
      expect(await keeper.list({ limit: 2 })).toMatchObject({ next: 2 });
      expect(await kept({ after: 2 })).toEqual(['c']);
      expect(await keeper.acts({})).toMatchObject([
        { action: 'block', subject: OTHER, reason: 'lies' },
        { action: 'hide', subject: `${HOME}/a`, listing: 1, ...BY_ADA },
      ]);
      expect(await keeper.show(3)).toMatchObject({
        listing: { payTo: muxed(BOB, 3n), isHidden: false, blockedBy: [{ kind: 'origin', value: OTHER }] },
        item: { resource: `${OTHER}/c` },
        acts: [{ action: 'block' }],
      });
      expect(await keeper.hide(1, BY_ADA)).toMatchObject({ code: 'keeper_already_done' });
      expect(await keeper.hide(9, BY_ADA)).toMatchObject({ code: 'keeper_unknown_listing' });
      expect(await keeper.unblock({ kind: 'origin', value: HOME }, BY_ADA)).toMatchObject({
        code: 'keeper_not_blocked',
      });
    }
  });

  test(`gives every instance the same answers, whatever happens and however late its index is (seed ${SEED})`, async () => {
    const random = createRandom(SEED);
    const instances = [await open('one', { logBatchListings: 2 }), await open('other')];
    const keys = Array.from({ length: 12 }, (_, nth) => `k${nth}`);
    const payees = [ALICE, BOB, muxed(ALICE, 1n), muxed(BOB, 2n)];
    const targets = [
      { kind: 'recipient', value: ALICE },
      { kind: 'recipient', value: muxed(BOB, 9n) },
      { kind: 'origin', value: OTHER },
    ] as const;
    const answers = async (catalog: Catalog) => ({
      all: await listed(catalog),
      byPayee: await Promise.all(payees.map((payTo) => listed(catalog, { payTo }))),
      found: [await searched(catalog), await searched(catalog, 'rain x')],
    });
    for (let round = 0; round < 12; round += 1) {
      for (let nth = 0; nth < 25; nth += 1) {
        const catalog = random.pick(instances);
        const { keeper } = catalog;
        const id = 1 + random.below(15);
        const key = random.pick(keys);
        const words = random.pick(['sun', 'sun rain', 'rain x', 'x x sun']);
        const origin = Number(key.slice(1)) % 3 === 0 ? OTHER : HOME;
        await random.pick([
          () => pay(catalog, key, { payTo: random.pick(payees), description: words, origin }),
          () => pay(catalog, key, { payTo: random.pick(payees), description: words, origin }),
          () => keeper.hide(id, BY_ADA),
          () => keeper.unhide(id, BY_ADA),
          () => (random.below(3) === 0 ? keeper.remove(id, BY_ADA) : undefined),
          () => keeper.block(random.pick(targets), BY_ADA),
          () => keeper.unblock(random.pick(targets), BY_ADA),
        ])();
      }
      const [late] = [await open(`late${round}`, { logBatchListings: 1 + round })];
      const expected = async () => answers(instances[0]!);
      for (const catalog of [...instances, late])
        await expect.poll(() => answers(catalog)).toEqual(await expected());
      await late.close();
    }
    expect(errors).toEqual([]);
    // An index that was lost is the same again.
    const before = await answers(instances[0]!);
    await instances[0]!.close();
    rmSync(pathOf('one'));
    const again = await open('one');
    await expect.poll(() => answers(again)).toEqual(before);
  });

  test('moves with the files of an installation into PostgreSQL', async () => {
    const alone = await openCatalog({ dbPath: pathOf('alone'), log, limits });
    for (const key of ['a', 'b', 'c', 'd']) await pay(alone, key);
    await pay(alone, 'e', { origin: OTHER });
    await pay(alone, 'a', { description: 'rain' });
    await alone.keeper.hide(1, BY_ADA);
    await alone.keeper.remove(2, BY_ADA);
    await alone.keeper.block({ kind: 'origin', value: OTHER }, BY_ADA);
    const acts = await alone.keeper.acts({});
    await alone.close();
    const moved = await runMigrate(pathOf('alone'), url);
    expect(moved).toMatchObject({ code: 0, stderr: '' });
    expect(moved.stdout).toMatch(/keeper_block: 1 row\nfacilitator\.keeper_act: 3 rows/);
    const shared = await open('shared');
    expect(await listed(shared)).toEqual(['c', 'd']);
    expect(await shared.keeper.acts({})).toEqual(acts);
    expect(await shared.keeper.blocks()).toMatchObject([{ kind: 'origin', value: OTHER }]);
    expect(await pay(shared, 'e', { origin: OTHER })).toMatchObject(REFUSED);
    expect(await pay(shared, 'b')).toEqual({ status: 'success' });
    await shared.keeper.unblock({ kind: 'origin', value: OTHER }, BY_ADA);
    await shared.keeper.unhide(1, BY_ADA);
    await expect.poll(() => listed(shared)).toEqual(['a', 'c', 'd', 'e', 'b']);
    expect((await shared.keeper.acts({})).length).toBe(5);
    expect(errors).toEqual([]);
  });
});
