import type { Keypair } from '@stellar/stellar-sdk';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import type {
  DiscoveryListResponse,
  DiscoverySearchResponse,
  FacilitatorRequest,
} from '../../src/contract/index.ts';
import { openJournal, openSharedJournal } from '../../src/journal/index.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { namesOf, settlementOf } from '../catalog/drafts.ts';
import { readPage } from '../catalog/pages.ts';
import { settledPayment } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { NETWORK } from '../support/playedNetwork.ts';
import { openScheme, silent } from '../support/service.ts';
import { fillFiles, runMigrate } from './filledFiles.ts';
import { openInstance } from './instances.ts';
import { binaries, rowsOf } from './server.ts';
import { postgres } from './shared.ts';

if (binaries === undefined)
  console.log('skipped: moving files into PostgreSQL, as this machine has no PostgreSQL');

let path: string;
beforeEach(() => void (path = join(temporaryFolder(), 'catalog.db')));

const run = (url: string | undefined, ...args: string[]) => runMigrate(path, url, ...args);

describe.skipIf(binaries === undefined)('files that are moved into PostgreSQL', () => {
  let sandbox: TestSandbox;
  let url: string;

  beforeAll(async () => void (sandbox = await openSandbox()));
  beforeEach(async () => void (url = await postgres.database()));
  afterEach(() => sandbox.faults.clear());
  afterAll(() => sandbox?.close());

  const ask = (statement: string, at = url) => rowsOf(at, statement);

  function connect(): Database {
    const db = createDatabase({ url, log: silent });
    onTestFinished(() => db.close());
    return db;
  }

  /** Opens the catalog of an instance, with a new index. */
  async function openShared(): Promise<Catalog> {
    const db = connect();
    const catalog = await openCatalog({ dbPath: join(temporaryFolder(), 'index.db'), log: silent, db });
    onTestFinished(() => catalog.close());
    await expect.poll(() => catalog.list({ filters: {} })).not.toHaveProperty('code');
    return catalog;
  }

  const listed = async (catalog: Catalog, offset = 0) =>
    readPage<DiscoveryListResponse>(await catalog.list({ filters: {}, offset, limit: 7 }));
  const searched = async (catalog: Catalog, cursor?: string) =>
    readPage<DiscoverySearchResponse>(
      await catalog.search({ query: 'sun rain', filters: {}, limit: 3, ...(cursor && { cursor }) }),
    );

  function newPayment(): FacilitatorRequest {
    const requirements = requirementsFor(sandbox.account(0n).publicKey());
    const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
    const terms = { key: sandbox.account(), requirements, expiration, nonce: sandbox.nonce() };
    return requestFor(requirements, signTransfer(terms));
  }
  const settle = (scheme: Scheme, payment: FacilitatorRequest, listing?: string) =>
    scheme.settle({ ...payment, listing, sender: 'test' });
  const paid = ({ paymentRequirements: { payTo } }: FacilitatorRequest): bigint => sandbox.usdc(payTo);

  /** Opens the settling part of a service with files of its own. */
  async function openAlone(submitters: readonly Keypair[], drainMs?: number) {
    openDatabase(path).close();
    const journal = openJournal({ path: journalPathOf(path), log: silent });
    const limits = drainMs === undefined ? {} : { limits: { drainMs } };
    const scheme = openScheme({ rpcUrl: sandbox.url, submitters, parts: { journal, ...limits } });
    await scheme.open();
    return { scheme, journal };
  }

  test('give the same lists, searches and cursors as before', async () => {
    const alone = await openCatalog({ dbPath: path, log: silent, newListingsPerHour: 100 });
    const put = (nth: number, description: string) =>
      alone.submit({
        ...settledPayment({ key: `k${nth}`, payTo: 'GA', description }),
        ledgerClose: { ledger: 5 + nth, seconds: 1_700_000_000 + nth },
      });
    for (let nth = 0; nth < 20; nth += 1) await put(nth, nth % 3 ? 'sun' : 'sun rain');
    const walk = await searched(alone);
    // The walk goes on by the earlier wordings.
    await put(3, 'snow');
    await put(6, 'sun sun sun');
    const before = {
      pages: [await listed(alone), await listed(alone, 7), await listed(alone, 14)],
      first: await searched(alone),
      second: await searched(alone, walk.pagination.cursor!),
    };
    await alone.close();
    expect(await run(url)).toEqual({
      code: 0,
      stdout:
        'facilitator.listing: 20 rows\nfacilitator.earlier_wording: 2 rows\nfacilitator.keeper_block: 0 rows\n' +
        'facilitator.keeper_act: 0 rows\nfacilitator.seller_act: 0 rows\nfacilitator.catalog: 1 row\n' +
        'Every row in the database is the same as in the files.\n',
      stderr: '',
    });
    const shared = await openShared();
    expect({
      pages: [await listed(shared), await listed(shared, 7), await listed(shared, 14)],
      first: await searched(shared),
      second: await searched(shared, walk.pagination.cursor!),
    }).toEqual(before);
  });

  test('go on as a catalog: a refresh keeps owner and terms, new listings come last and are counted', async () => {
    const input = { type: 'mcp', toolName: 'x'.repeat(300), inputSchema: { type: 'object' } };
    const tool = {
      ...settledPayment({ key: 't', payTo: 'GA' }),
      extensions: { bazaar: { info: { input }, schema: {} } },
    };
    const alone = await openCatalog({ dbPath: path, log: silent, newListingsPerHour: 4 });
    for (const key of ['a', 'b']) await alone.submit(settledPayment({ key, payTo: 'GA' }));
    await alone.submit(tool);
    await alone.close();
    expect((await run(url)).code).toBe(0);
    const db = connect();
    const dbPath = join(temporaryFolder(), 'index.db');
    // A busy machine may take longer than a settlement waits.
    const limits = { submitBudgetMs: 20_000 };
    const shared = await openCatalog({ dbPath, log: silent, db, newListingsPerHour: 4, limits });
    onTestFinished(() => shared.close());
    const put = (key: string, payTo: string) => shared.submit(settledPayment({ key, payTo, amount: 2 }));
    expect(await put('a', 'GB')).toMatchObject({ code: 'bazaar_listing_owned_by_other_payee' });
    expect(await put('a', 'GA')).toEqual({ status: 'success' });
    expect(await shared.submit(tool)).toEqual({ status: 'success' });
    expect(await put('c', 'GA')).toEqual({ status: 'success' });
    expect(await put('d', 'GA')).toMatchObject({ code: 'bazaar_too_many_new_listings' });
    await expect.poll(async () => namesOf((await listed(shared)).items)).toEqual(['a', 'b', 't', 'c']);
    expect((await listed(shared)).items[0]!.accepts).toHaveLength(2);
  });

  test('refuse what was settled as the replay that it is, and keep what is due', async () => {
    const submitters = [sandbox.submitter()];
    const { scheme, journal } = await openAlone(submitters);
    const payment = newPayment();
    const { transaction } = await settle(scheme, payment, '{"due":1}');
    const replay = await settle(scheme, payment);
    const due = journal.dueListing(transaction);
    const latest = journal.latestClose();
    await scheme.close();
    journal.end();
    expect(due).toMatchObject({ listing: '{"due":1}' });
    expect((await run(url)).code).toBe(0);

    const accounts = submitters.map((key) => key.publicKey());
    const shared = await openSharedJournal({
      db: connect(),
      network: NETWORK,
      accounts,
      log: silent,
      limits: { listedWithinMs: 0 },
    });
    expect(await shared.journal.unlisted()).toEqual([transaction]);
    expect(await shared.journal.dueListing(transaction)).toEqual(due);
    expect(await shared.journal.latestClose()).toEqual(latest);
    await shared.journal.end();
    const instance = await openInstance({ url, rpcUrl: sandbox.url, submitters });
    onTestFinished(() => instance.close());
    expect(await settle(instance, payment)).toEqual(replay);
    expect(await settle(instance, newPayment())).toMatchObject({ success: true });
    expect(paid(payment)).toBe(AMOUNT);
  });

  test('take open transactions with them, which an instance follows to their outcome', async () => {
    const submitters = [sandbox.submitter()];
    const { scheme, journal } = await openAlone(submitters, 0);
    sandbox.stopLedgers();
    const payment = newPayment();
    void settle(scheme, payment);
    await expect.poll(() => journal.unended()).toHaveLength(1);
    await scheme.close();
    journal.end();
    expect(await run(url, '--json')).toMatchObject({ code: 0, stderr: '' });
    expect(await ask('SELECT submitter FROM facilitator.in_flight')).toEqual([
      { submitter: submitters[0]!.publicKey() },
    ]);
    const instance = await openInstance({ url, rpcUrl: sandbox.url, submitters });
    onTestFinished(() => instance.close());
    const [again, next] = [settle(instance, payment), settle(instance, newPayment())];
    sandbox.faults.clear();
    expect(await again).toMatchObject({ errorReason: 'invalid_exact_stellar_payload_simulation_failed' });
    expect(await next).toMatchObject({ success: true });
    expect(paid(payment)).toBe(AMOUNT);
    await expect.poll(() => ask('SELECT FROM facilitator.in_flight')).toEqual([]);
  });

  test('give what only the write-ahead log of a killed process holds', async () => {
    const [from, to] = [path, join(temporaryFolder(), 'catalog.db')];
    const db = openDatabase(from);
    createSqliteStore(db).put([settlementOf({ name: 'a' })]);
    for (const end of ['', '-wal']) copyFileSync(from + end, to + end);
    db.close();
    path = to;
    expect((await run(url)).stdout).toMatch(/listing: 1 row\n/);
  });

  test('are not changed themselves', async () => {
    fillFiles(path, 10);
    const folder = join(path, '..');
    const bytes = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);
    const before = bytes();
    expect((await run(url)).code).toBe(0);
    expect(bytes()).toEqual(before);
  });
});
