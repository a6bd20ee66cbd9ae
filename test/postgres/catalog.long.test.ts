import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import type { CatalogLimits } from '../../src/catalog/limits.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { createDatabase, type Query } from '../../src/store/postgres.ts';
import { IN_MEMORY, UnusableFile } from '../../src/store/sqliteFile.ts';
import { namesOf } from '../catalog/drafts.ts';
import { readPage } from '../catalog/pages.ts';
import { settledPayment } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { silent } from '../support/service.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from './server.ts';

if (binaries === undefined) console.log('skipped: a shared catalog, as this machine has no PostgreSQL');

describe.skipIf(binaries === undefined)('a catalog that instances share', () => {
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

  interface Options {
    dbPath?: string;
    newListingsPerHour?: number;
    limits?: Partial<CatalogLimits>;
    query?: (query: Query) => Query;
    /** False for an index that cannot become whole yet. */
    isWhole?: boolean;
  }

  async function open(
    name: string,
    { query = (plain) => plain, isWhole = true, limits: changes, ...options }: Options = {},
  ) {
    const database = createDatabase({ url, log: silent });
    const db = { ...database, query: query(database.query) };
    const opening = openCatalog({
      dbPath: pathOf(name),
      log,
      db,
      ...options,
      limits: { ...limits, ...changes },
    });
    const catalog = await opening.catch(async (error: unknown) => {
      await db.close();
      throw error;
    });
    let isClosed = false;
    const close = async (): Promise<void> => {
      if (isClosed) return;
      isClosed = true;
      await catalog.close();
      await db.close();
    };
    onTestFinished(close);
    if (isWhole) await expect.poll(() => listed(catalog)).not.toEqual(['svc_overloaded']);
    return { ...catalog, close };
  }

  const ask = (statement: string) => rowsOf(url, statement);

  /** Statements that wait while they are held. */
  function holdable() {
    let gate = Promise.withResolvers<void>();
    gate.resolve();
    return {
      hold: () => void (gate = Promise.withResolvers()),
      release: () => gate.resolve(),
      query:
        (query: Query): Query =>
        async (...statement) => {
          const rows = await query(...statement);
          await gate.promise;
          return rows;
        },
    };
  }

  const put = (catalog: Catalog, key: string, payTo = 'GA', description = 'sun') =>
    catalog.submit(settledPayment({ key, payTo, description }));
  const listed = async (catalog: Catalog): Promise<string[]> => {
    const answer = await catalog.list({ filters: {}, limit: 100 });
    return 'code' in answer ? [answer.code] : namesOf((await readPage<DiscoveryListResponse>(answer)).items);
  };
  const searched = async (catalog: Catalog, cursor?: string) => {
    const answer = await catalog.search({ query: 'sun', filters: {}, limit: 2, ...(cursor && { cursor }) });
    return 'code' in answer ? answer.code : readPage<DiscoverySearchResponse>(answer);
  };
  const page = async (catalog: Catalog, cursor?: string): Promise<DiscoverySearchResponse> => {
    const answer = await searched(catalog, cursor);
    if (typeof answer === 'string') throw new Error(answer);
    return answer;
  };

  test('lists at once what an instance wrote, and soon at the others, in the same order', async () => {
    const [one, other] = [await open('one'), await open('other')];
    expect(await put(one, 'a')).toEqual({ status: 'success' });
    expect(await listed(one)).toEqual(['a']);
    await Promise.all(['b', 'c', 'd', 'e'].map((key, nth) => put(nth % 2 ? one : other, key)));
    const order = (await ask('SELECT item FROM facilitator.listing ORDER BY position')).map(({ item }) =>
      (JSON.parse(String(item)) as { resource: string }).resource.split('/').at(-1)!,
    );
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect.poll(() => listed(one)).toEqual(order);
    await expect.poll(() => listed(other)).toEqual(order);
  });

  test('takes positions and ids without gaps, however many write at once', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const keys = Array.from({ length: 20 }, (_, nth) => `k${nth % 10}`);
    const outcomes = await Promise.all(keys.map((key, nth) => put(nth % 3 ? one : other, key)));
    expect(outcomes).toEqual(keys.map(() => ({ status: 'success' })));
    const [head] = await ask('SELECT position::int, listings::int FROM facilitator.catalog');
    expect(head).toEqual({ position: 20, listings: 10 });
    const ids = await ask('SELECT id::int FROM facilitator.listing ORDER BY id');
    expect(ids.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(errors).toEqual([]);
  });

  test('gives a listing that two recipients create at once to one of them', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const outcomes = await Promise.all([put(one, 'a', 'GA'), put(other, 'a', 'GB')]);
    expect(outcomes.map((outcome) => outcome?.code ?? outcome?.status).sort()).toEqual([
      'bazaar_listing_owned_by_other_payee',
      'success',
    ]);
  });

  test('loses no terms when instances refresh one listing at once', async () => {
    const instances = [await open('one'), await open('other'), await open('third')];
    const amounts = Array.from({ length: 15 }, (_, nth) => nth + 1);
    await put(instances[0]!, 'a');
    await Promise.all(
      amounts.map((amount) =>
        instances[amount % 3]!.submit(settledPayment({ key: 'a', payTo: 'GA', amount })),
      ),
    );
    const [row] = await ask('SELECT item FROM facilitator.listing');
    const { accepts } = JSON.parse(String(row?.['item'])) as { accepts: { amount: string }[] };
    expect(accepts.map(({ amount }) => Number(amount)).sort((a, b) => a - b)).toEqual(amounts);
  });

  test('counts the new listings of a recipient over all instances', async () => {
    const [one, other] = [
      await open('one', { newListingsPerHour: 2 }),
      await open('other', { newListingsPerHour: 2 }),
    ];
    await put(one, 'a');
    await put(other, 'b');
    expect(await put(one, 'c')).toMatchObject({ code: 'bazaar_too_many_new_listings' });
  });

  test('gives the same page and cursor on an instance that read every write and on one that came later', async () => {
    const one = await open('one');
    for (const key of ['a', 'b', 'c', 'd']) await put(one, key);
    for (const words of ['rain', 'sun sun', 'sun']) await put(one, 'c', 'GA', words);
    const other = await open('other');
    await expect.poll(() => listed(other)).toEqual(await listed(one));
    expect(await page(other)).toEqual(await page(one));
  });

  test('carries a walk on at another instance, by the wordings of its first page', async () => {
    const one = await open('one');
    for (const key of ['a', 'b', 'c', 'd']) await put(one, key);
    const first = await page(one);
    await put(one, 'c', 'GA', 'rain');
    const other = await open('other');
    await expect.poll(() => listed(other)).toHaveLength(4);
    const second = await page(other, first.pagination.cursor!);
    expect(namesOf([...first.resources, ...second.resources])).toEqual(['a', 'b', 'c', 'd']);
  });

  test('lets a cursor wait for an index that is behind, and refuses it if that takes too long', async () => {
    const one = await open('one');
    const held = holdable();
    const patient = await open('patient', { query: held.query, limits: { cursorWaitMs: 20_000 } });
    const impatient = await open('impatient', { query: held.query, limits: { cursorWaitMs: 1 } });
    for (const key of ['a', 'b', 'c']) await put(one, key);
    for (const instance of [patient, impatient]) await expect.poll(() => listed(instance)).toHaveLength(3);
    held.hold();
    await put(one, 'd');
    const { cursor } = (await page(one)).pagination;
    expect(await searched(impatient, cursor!)).toBe('svc_invalid_search_cursor');
    const waiting = page(patient, cursor!);
    held.release();
    expect(namesOf((await waiting).resources)).toEqual(['c', 'd']);
  });

  test('answers lists and searches as overloaded until a new index has all listings, and submits meanwhile', async () => {
    const one = await open('one');
    await Promise.all(Array.from({ length: 9 }, (_, nth) => put(one, `k${nth}`)));
    const client = new pg.Client(url);
    await client.connect();
    await client.query('BEGIN; LOCK TABLE facilitator.earlier_wording');
    const other = await open('other', { isWhole: false, limits: { logBatchListings: 2 } });
    expect(await listed(other)).toEqual(['svc_overloaded']);
    expect(await searched(other)).toBe('svc_overloaded');
    expect(await put(other, 'k0')).toEqual({ status: 'success' });
    await client.query('COMMIT');
    await client.end();
    await expect.poll(() => listed(other)).toHaveLength(9);
  });

  test('builds an index again that is not what the database says, and says so', async () => {
    const one = await open('one');
    await put(one, 'a');
    await put(one, 'b');
    await one.close();
    using file = new DatabaseSync(pathOf('one'));
    file.exec(`UPDATE listing SET item = replace(item, '"a sun"', '"a lie"')`);
    const again = await open('one');
    await put(again, 'a', 'GA', 'moon');
    await expect.poll(() => errors).toHaveLength(1);
    await expect.poll(() => listed(again)).toEqual(['a', 'b']);
    expect(errors[0]).toMatch(/built again/);
    expect(namesOf((await page(again)).resources)).toEqual(['b']);
  });

  test('fills an index that was deleted', async () => {
    const one = await open('one');
    await put(one, 'a');
    await one.close();
    rmSync(pathOf('one'));
    const again = await open('one');
    await expect.poll(() => listed(again)).toEqual(['a']);
  });

  test('fills an index in memory, which has one thread for everything', async () => {
    const one = await open('one');
    for (const name of ['a', 'b', 'c']) await put(one, name);
    const other = await open('other', { dbPath: IN_MEMORY, limits: { logBatchListings: 1 } });
    await expect.poll(() => listed(other)).toEqual(['a', 'b', 'c']);
    expect(errors).toEqual([]);
  });

  test('goes on listing and searching without the database, and submits when it is back', async () => {
    const one = await open('one');
    await put(one, 'a');
    await postgres.kill();
    expect(await put(one, 'b')).toBeUndefined();
    expect(await listed(one)).toEqual(['a']);
    expect(namesOf((await page(one)).resources)).toEqual(['a']);
    await postgres.start();
    await expect.poll(() => put(one, 'b')).toEqual({ status: 'success' });
    expect(await listed(one)).toEqual(['a', 'b']);
  });

  test('refuses a file that holds a catalog of its own, which refuses to be opened as such later', async () => {
    const alone = await openCatalog({ dbPath: pathOf('one'), log });
    await put(alone, 'a');
    await alone.close();
    await expect(open('one')).rejects.toThrow(UnusableFile);
    await (await open('other')).close();
    await expect(openCatalog({ dbPath: pathOf('other'), log })).rejects.toThrow(UnusableFile);
  });
});
