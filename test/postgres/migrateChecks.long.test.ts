import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase, openReadOnly } from '../../src/catalog/sqlite/database.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { openJournal, openSharedJournal } from '../../src/journal/index.ts';
import { UnusableDatabase } from '../../src/store/databaseErrors.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { migrate as makeTables } from '../../src/store/postgresMigrations.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { NETWORK } from '../support/playedNetwork.ts';
import { silent } from '../support/service.ts';
import { fillFiles, runMigrate } from './filledFiles.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from './server.ts';

if (binaries === undefined)
  console.log(
    'skipped: moving files into PostgreSQL again, and checking them, as this machine has no PostgreSQL',
  );

/** More than one batch. */
const MANY = 2_500;

let path: string;
beforeEach(() => void (path = join(temporaryFolder(), 'catalog.db')));

const run = (url: string | undefined, ...args: string[]) => runMigrate(path, url, ...args);

describe('files that cannot be moved', () => {
  test('are refused while another process has them open', async () => {
    fillFiles(path, 1);
    const journal = openJournal({ path: journalPathOf(path), log: silent });
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
    fillFiles(path, 1);
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
    fillFiles(path, 1);
    expect(await run(url)).toMatchObject({ code: 78, stdout: '', stderr: expect.stringMatching(problem) });
  });

  test('are not moved if there are none', async () => {
    expect(await run('postgres://127.0.0.1:1/none')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^DB_PATH names no file/),
    });
  });

  test('a database that does not answer is named without its password', async () => {
    fillFiles(path, 1);
    const { code, stdout, stderr } = await run('postgres://me:hunter2hunter2@127.0.0.1:1/none');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^DATABASE_URL does not answer \(ECONNREFUSED\)/);
    expect(stderr).not.toMatch(/hunter2/);
  });
});

describe.skipIf(binaries === undefined)('files that are moved into PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;

  beforeAll(async () => void (postgres = await openPostgres()));
  beforeEach(async () => void (url = await postgres.database()));
  afterAll(() => postgres?.close());

  const ask = (statement: string, at = url) => rowsOf(at, statement);

  const TABLES = [
    'entry',
    'in_flight',
    'caller_key',
    'listing',
    'earlier_wording',
    'catalog',
    'format',
    'channel_account',
  ];
  const contentOf = async (at: string) =>
    Promise.all(TABLES.map((table) => ask(`SELECT * FROM facilitator.${table} ORDER BY 1`, at)));

  function connect(): Database {
    const db = createDatabase({ url, log: silent });
    onTestFinished(() => db.close());
    return db;
  }

  test('go on where they were after a kill, and end the same; no service starts in between', async () => {
    fillFiles(path, MANY);
    const db = connect();
    await makeTables(db);
    await ask(`
      CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); RETURN NEW; END';
      CREATE TRIGGER stop BEFORE INSERT ON facilitator.listing FOR EACH ROW WHEN (NEW.id = 1500) EXECUTE FUNCTION stop()`);
    const command = ['dist/stellar-facilitator.js', 'migrate'];
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
    fillFiles(path, 10);
    await run(url);
    const before = await contentOf(url);
    expect(await run(url, '--json')).toEqual({
      code: 0,
      stdout: `${JSON.stringify({ rows: { entry: 4, in_flight: 1, fee_total: 3, caller_key: 0, event: 3, keyed_answer: 0, listing: 10, earlier_wording: 10, keeper_block: 0, keeper_act: 0, seller_act: 0, catalog: 1 }, differences: 0, named: [] }, null, 2)}\n`,
      stderr: '',
    });
    expect(await contentOf(url)).toEqual(before);
  });

  test.each<[string, () => Promise<void>]>([
    [
      'a service has started on',
      async () =>
        void (
          await openSharedJournal({ db: connect(), network: NETWORK, accounts: ['GA'], log: silent })
        ).journal.end(),
    ],
    [
      'holds what other files held',
      async () => {
        const own = path;
        path = join(temporaryFolder(), 'other.db');
        fillFiles(path, 1);
        await run(url);
        path = own;
      },
    ],
  ])('are refused by a database that %s, which stays as it is', async (_what, use) => {
    await use();
    const before = await contentOf(url);
    fillFiles(path, 2);
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
    fillFiles(path, 10);
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
