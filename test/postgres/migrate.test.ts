import type { Keypair } from '@stellar/stellar-sdk';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import type {
  DiscoveryListResponse,
  DiscoverySearchResponse,
  FacilitatorRequest,
} from '../../src/contract/index.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { openJournal, openSharedJournal } from '../../src/journal/index.ts';
import type { Scheme } from '../../src/scheme/index.ts';
import { UnusableDatabase } from '../../src/store/databaseErrors.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { migrate as makeTables } from '../../src/store/postgresMigrations.ts';
import { startChild } from '../catalog/child.ts';
import { namesOf, settlementOf } from '../catalog/drafts.ts';
import { readPage } from '../catalog/pages.ts';
import { createRandom } from '../catalog/random.ts';
import { randomDraft } from '../catalog/randomCatalog.ts';
import { settledPayment } from '../catalog/settledPayments.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { openDatabase, openReadOnly } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { runInside } from '../support/cli.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { openScheme, silent } from '../support/service.ts';
import { openInstance } from './instances.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

if (binaries === undefined)
  console.log('skipped: moving files into PostgreSQL, as this machine has no PostgreSQL');

/** More than one batch. */
const MANY = 2_500;

let path: string;
beforeEach(() => void (path = join(temporaryFolder(), 'catalog.db')));

const run = (DATABASE_URL: string | undefined, ...args: string[]) =>
  runInside(['migrate', ...args], { DB_PATH: path, DATABASE_URL });
const openFileJournal = () => openJournal({ path: journalPathOf(path), log: silent });

const ENTRY = `INSERT INTO entry (hash, opened_at, payer, party, "authorization", submitter, sequence,
  inclusion_bid_stroops, total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, is_stellar_asset, listing,
  ended_at, status, ledger, closed_at, fee_charged_stroops) VALUES `;

/** Entries that settled, failed and are open. The first is one of an older version. */
const ENTRIES = `
  ('h1', 1700000000001, 'GP', NULL, 'GP:1', 'GS', '9007199254740993', 1, 2, 3, 4, 5, NULL, NULL, 1700000000999, 'success', 6, 7, 8),
  ('h2', 1700000001000, 'GP', 'GQ', 'GP:2', 'GS', '2', 1, 2, 3, 4, 5, 1, '{"due":1}', 1700000001001, 'success', 6, 7, 8),
  ('h4', 1700000002000, 'GP', 'GQ', 'GP:4', 'GS', '3', 1, 2, 3, 4, 5, 0, NULL, 1700000002500, 'failed', NULL, NULL, 8),
  ('h3', 1700000003000, 'GP', 'GQ', 'GP:3', 'GT', '4', 1, 2, 3, 4, 5, 1, '{"later":1}', NULL, NULL, NULL, NULL, NULL)`;

const ODD_TEXT = 'sun \u0000 "quoted" \\u0000 \ud800 🌞';

/** Fills the journal's file, and the catalog's with the listings `n1`, `n2` and so on; rewords the first ten. */
function fillMany(count: number): void {
  const store = createSqliteStore(openDatabase(path));
  const random = createRandom(1);
  const drafts = Array.from({ length: count }, (_, nth) => randomDraft(random, `n${nth + 1}`, 50));
  store.put(
    [...drafts, ...drafts.slice(0, 10).map((draft) => ({ ...draft, description: ODD_TEXT }))].map(
      settlementOf,
    ),
  );
  store.close();
  const journal = openJournalFile(journalPathOf(path));
  journal.exec(ENTRY + ENTRIES);
  journal.close();
}

describe('files that cannot be moved', () => {
  test('are refused while another process has them open', async () => {
    fillMany(1);
    const journal = openFileJournal();
    expect(await run('postgres://127.0.0.1:1/none')).toEqual({
      code: 78,
      stdout: '',
      stderr:
        'DB_PATH, the journal beside it (catalog.settlements.db), is open in another process: stop the service first\n',
    });
    journal.end();
    const catalog = openDatabase(path);
    expect((await run('postgres://127.0.0.1:1/none')).stderr).toMatch(/^DB_PATH is open in another process/);
    catalog.close();
  });

  test('are refused if an older version wrote them', async () => {
    fillMany(1);
    const catalog = openDatabase(path);
    catalog.exec('PRAGMA user_version = 3');
    catalog.close();
    expect(await run('postgres://127.0.0.1:1/none')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^DB_PATH was written by an older version/),
    });
  });

  test.each([
    [undefined, /^DATABASE_URL is missing/],
    ['mysql://here', /^DATABASE_URL must be a URL/],
  ])('are not moved without a database (%s)', async (url, problem) => {
    fillMany(1);
    expect(await run(url)).toMatchObject({ code: 78, stdout: '', stderr: expect.stringMatching(problem) });
  });

  test('are not moved if there are none', async () => {
    expect(await run('postgres://127.0.0.1:1/none')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^DB_PATH names no file/),
    });
  });

  test('a database that does not answer is named without its password', async () => {
    fillMany(1);
    const { code, stdout, stderr } = await run('postgres://me:hunter2hunter2@127.0.0.1:1/none');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^DATABASE_URL does not answer \(ECONNREFUSED\)/);
    expect(stderr).not.toMatch(/hunter2/);
  });
});

describe.skipIf(binaries === undefined)('files that are moved into PostgreSQL', () => {
  let postgres: PostgresServer;
  let sandbox: TestSandbox;
  let url: string;

  beforeAll(async () => {
    postgres = await openPostgres();
    sandbox = await openSandbox();
  });
  beforeEach(async () => void (url = await postgres.database()));
  afterEach(() => sandbox.faults.clear());
  afterAll(async () => {
    await sandbox?.close();
    await postgres?.close();
  });

  async function ask(statement: string, at = url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(at);
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(statement);
    await client.end();
    return rows;
  }

  const TABLES = ['entry', 'in_flight', 'listing', 'earlier_wording', 'catalog', 'format', 'channel_account'];
  const contentOf = async (at: string) =>
    Promise.all(TABLES.map((table) => ask(`SELECT * FROM facilitator.${table} ORDER BY 1`, at)));

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
    const journal = openFileJournal();
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
        'facilitator.listing: 20 rows\nfacilitator.earlier_wording: 2 rows\nfacilitator.catalog: 1 rows\n' +
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
    const shared = await openCatalog({ dbPath, log: silent, db, newListingsPerHour: 4 });
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
    expect((await run(url)).stdout).toMatch(/listing: 1 rows/);
  });

  test('are not changed themselves', async () => {
    fillMany(10);
    const folder = join(path, '..');
    const bytes = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);
    const before = bytes();
    expect((await run(url)).code).toBe(0);
    expect(bytes()).toEqual(before);
  });

  test('go on where they were after a kill, and end the same; no service starts in between', async () => {
    fillMany(MANY);
    const db = connect();
    await makeTables(db);
    await ask(`
      CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
      CREATE TRIGGER stop BEFORE INSERT ON facilitator.listing FOR EACH ROW WHEN (NEW.id = 1500) EXECUTE FUNCTION stop()`);
    const command = ['src/cli/stellar-facilitator.ts', 'migrate'];
    const child = startChild(process.execPath, command, { env: { DB_PATH: path, DATABASE_URL: url } });
    const sleeping = `FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    await expect.poll(() => ask(`SELECT ${sleeping}`), { timeout: 20_000 }).toHaveLength(1);
    expect(() => openReadOnly(path).prepare('SELECT * FROM state').get()).toThrow(/locked/);
    child.kill('SIGKILL');
    await child.ended;
    await ask(`SELECT pg_terminate_backend(pid) ${sleeping}`);
    await expect(makeTables(db)).rejects.toThrow(UnusableDatabase);
    await ask('DROP FUNCTION stop CASCADE');
    expect(await ask('SELECT count(*)::int AS n FROM facilitator.listing')).toEqual([{ n: 1_000 }]);
    const written = 'SELECT xmin::text, id FROM facilitator.listing WHERE id <= 1000 ORDER BY id';
    const first = await ask(written);

    expect((await run(url)).code).toBe(0);
    expect(await ask(written)).toEqual(first);
    const unbroken = await postgres.database();
    expect((await run(unbroken)).code).toBe(0);
    expect(await contentOf(url)).toEqual(await contentOf(unbroken));
    await makeTables(db);
  });

  test('may be moved again, which changes nothing', async () => {
    fillMany(10);
    await run(url);
    const before = await contentOf(url);
    expect(await run(url, '--json')).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ rows: { entry: 4, in_flight: 1, listing: 10, earlier_wording: 10, catalog: 1 }, differences: 0, named: [] }, null, 2)}\n`,
      stderr: '',
    });
    expect(await contentOf(url)).toEqual(before);
  });

  test.each<[string, () => Promise<void>]>([
    [
      'a service has started on',
      async () =>
        void (await openSharedJournal({ db: connect(), accounts: ['GA'], log: silent })).journal.end(),
    ],
    [
      'holds what other files held',
      async () => {
        const own = path;
        path = join(temporaryFolder(), 'other.db');
        fillMany(1);
        await run(url);
        path = own;
      },
    ],
  ])('are refused by a database that %s, which stays as it is', async (_what, use) => {
    await use();
    const before = await contentOf(url);
    fillMany(2);
    const { code, stdout, stderr } = await run(url);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(
      /^DATABASE_URL has what other files held, or a service has started on it\. Nothing was changed: name/,
    );
    expect(await contentOf(url)).toEqual(before);
  });

  test.each([
    ["UPDATE facilitator.listing SET owner = 'GB' WHERE id = 7", ['listing 7: differs in owner']],
    [
      'UPDATE facilitator.listing SET made_at = 1 WHERE id > 3 AND id < 6',
      [/^listing 4: differs in made_at$/, /^listing 5/],
    ],
    ["UPDATE facilitator.entry SET status = 'failed' WHERE id = 1", ['entry 1: differs in status']],
    [
      'DELETE FROM facilitator.earlier_wording WHERE reworded = 2',
      ['earlier_wording 2: is missing', /: 9 rows in/],
    ],
    ['UPDATE facilitator.catalog SET checksum = 1', ['catalog true: differs in checksum']],
    [
      "INSERT INTO facilitator.in_flight VALUES ('GA:1', 'GB')",
      ['in_flight: 2 rows in the database, 1 in the file'],
    ],
  ])('are compared row by row with the database: %s', async (change, named) => {
    fillMany(10);
    await run(url);
    await ask(change);
    const { code, stdout } = await run(url, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      differences: named.length,
      named: named.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
    });
    expect((await run(url)).stderr).toMatch(/rows in the database differ from the files/);
    await expect(makeTables(connect())).rejects.toThrow(UnusableDatabase);
  });
});
