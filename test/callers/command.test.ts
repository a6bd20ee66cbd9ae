import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteKeys } from '../../src/callers/sqliteKeys.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { runInside } from '../support/cli.ts';
import { listedKeys, makeKey, madeKey, runKeys, storeInFile, STORES, type StoreOfKeys } from './stores.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const NO_LIMITS = {
  verifiesPerMinute: null,
  settlesPerMinute: null,
  settlementsInFlight: null,
  connections: null,
  feeBudgetStroops: null,
};

const KILLS = 3;

const createInProcess = ({ environment }: StoreOfKeys) =>
  startChild(process.execPath, ['dist/stellar-facilitator.js', 'keys', 'create', '--name', 'acme'], {
    env: environment,
  });

describe.each(STORES)('the command for keys in %s', (_store, openStore) => {
  test('shows a new key once, and says so', async () => {
    const store = await openStore();
    const { code, stdout, stderr } = await runKeys(store, 'create', '--name', 'acme');
    expect(code).toBe(0);
    expect(stderr).toMatch(/The key of acme has the id [0-9a-f]{12}\. It is shown only now/);
    const { id, text } = madeKey(stdout);
    const lists = [await runKeys(store, 'list'), await runKeys(store, 'list', '--json')];
    for (const list of lists) {
      expect(list.stdout).toContain(id);
      expect(list.stdout).not.toContain(text.slice(16));
    }
  });

  test('keeps the limits that a key was made with', async () => {
    const store = await openStore();
    const all = ['--verifies-per-minute', '60', '--settles-per-minute', '6', '--settlements-in-flight', '3'];
    const { id } = await makeKey(store, ...all, '--connections', '9', '--fee-budget', '9999999999');
    await makeKey(store);
    expect(await listedKeys(store)).toEqual([
      {
        id,
        name: 'acme',
        limits: {
          verifiesPerMinute: 60,
          settlesPerMinute: 6,
          settlementsInFlight: 3,
          connections: 9,
          feeBudgetStroops: 9_999_999_999,
        },
        createdAt: TIME,
        revokedAt: null,
      },
      expect.objectContaining({ limits: NO_LIMITS }),
    ]);
    expect((await runKeys(store, 'list')).stdout).toMatch(
      /60 verifies\/min, 6 settles\/min, 3 in flight, 9 connections, 9999999999 stroops\/day +acme/,
    );
  });

  test('rotates to a key with the same name and limits', async () => {
    const store = await openStore();
    const old = await makeKey(store, '--fee-budget', '7');
    const { code, stdout, stderr } = await runKeys(store, 'rotate', old.id);
    expect(code).toBe(0);
    const { id } = madeKey(stdout);
    expect(stderr).toContain(`The key ${old.id} is revoked. The new key of acme has the id ${id}.`);
    const limits = { ...NO_LIMITS, feeBudgetStroops: 7 };
    const [first, second] = await listedKeys(store);
    expect(first).toMatchObject({ id: old.id, limits, revokedAt: TIME });
    expect(second).toMatchObject({ id, name: 'acme', limits, revokedAt: null });
  });

  test.each(['revoke', 'rotate'])('%s exits 1 for an id that is unknown or revoked', async (action) => {
    const store = await openStore();
    const { id } = await makeKey(store);
    expect((await runKeys(store, 'revoke', id)).code).toBe(0);
    for (const other of [id, '0'.repeat(12)])
      expect(await runKeys(store, action, other)).toEqual({
        code: 1,
        stdout: '',
        stderr: `no key in use has the id ${other}: list shows the keys\n`,
      });
    expect(await listedKeys(store)).toHaveLength(1);
  });

  test('keeps all keys that are made at the same time', async () => {
    const store = await openStore();
    const made = await Promise.all(
      Array.from({ length: 4 }, async () => (await createInProcess(store).ended).lines),
    );
    const listed = await listedKeys(store);
    expect(listed.map(({ id }) => id).sort()).toEqual(made.map(([text]) => madeKey(`${text}\n`).id).sort());
  });
});

test('a key that was shown is stored, whenever the command is killed', async () => {
  const store = storeInFile();
  const shown: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = createInProcess(store);
    await child.line('sf_').catch(() => {});
    child.kill('SIGKILL');
    shown.push(...(await child.ended).lines);
  }
  expect(shown).toHaveLength(KILLS);
  const stored = (await listedKeys(store)).map(({ id }) => id);
  expect(stored).toEqual(expect.arrayContaining(shown.map((text) => madeKey(`${text}\n`).id)));
});

describe('the file of keys', () => {
  test('holds no secret', async () => {
    const store = storeInFile();
    const { text } = await makeKey(store);
    const folder = join(store.options.dbPath!, '..');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'latin1')).not.toContain(text.slice(16));
  });

  /** Opens a file with two keys, and room for two. */
  async function fullFile() {
    const store = storeInFile();
    const made = [await makeKey(store), await makeKey(store)];
    const keys = openSqliteKeys(journalPathOf(store.options.dbPath!), { busyTimeoutMs: 1_000, maxKeys: 2 });
    onTestFinished(() => keys.close());
    const [key] = await keys.changedAfter(0);
    return { keys, add: (id: string) => keys.add({ ...key!, id }), ids: made.map(({ id }) => id) };
  }

  test('takes no more keys than it may hold, and forgets those that were revoked first', async () => {
    const { keys, add, ids } = await fullFile();
    expect(await add('c'.repeat(12))).toBe(false);
    for (const id of ids) await keys.revoke(id, 2);
    for (const id of ['c'.repeat(12), 'd'.repeat(12)]) expect(await add(id)).toBe(true);
    await keys.revoke('c'.repeat(12), 3);
    const kept = (await keys.changedAfter(0)).map(({ id }) => id);
    expect(kept).toEqual([ids[1], 'd'.repeat(12), 'c'.repeat(12)]);
  });

  test('shows every change to a service that runs, though it is full', async () => {
    const { keys, add, ids } = await fullFile();
    const facts = { id: 'c'.repeat(12), secretHash: Buffer.alloc(32), createdAtMs: 2 };
    await keys.replace(ids[0]!, facts);
    const changes = await keys.changedAfter(2);
    expect(changes.map(({ id }) => id)).toEqual([ids[0], facts.id]);
    await keys.revoke(ids[1]!, 3);
    const revoked = await keys.changedAfter(changes.at(-1)!.change);
    expect(revoked.map(({ id }) => id)).toEqual([ids[1]]);
    await add('d'.repeat(12));
    const added = await keys.changedAfter(revoked.at(-1)!.change);
    expect(added.map(({ id }) => id)).toEqual(['d'.repeat(12)]);
  });

  test('is made before the first start, by create only', async () => {
    const DB_PATH = join(temporaryFolder(), 'data', 'catalog.db');
    for (const args of [['list'], ['revoke', '0'.repeat(12)], ['rotate', '0'.repeat(12)]]) {
      const { code, stderr } = await runInside(['keys', ...args], { DB_PATH });
      expect([code, stderr]).toEqual([78, expect.stringMatching(/^DB_PATH names no file of a service/)]);
    }
    expect(existsSync(join(DB_PATH, '..'))).toBe(false);
    expect((await runInside(['keys', 'create', '--name', 'acme'], { DB_PATH })).code).toBe(0);
  });
});

describe('what cannot be done', () => {
  const secret = `sf_${'0'.repeat(12)}_${'A'.repeat(43)}`;

  test.each([
    [['create'], '--name needs a name'],
    [['create', '--name', ' '], '--name needs a name'],
    [['create', '--name', 'x'.repeat(65)], '--name needs a name'],
    [['create', '--name', 'a\u001b[31m'], '--name needs a name'],
    [['create', '--name', 'a', '--connections', '0'], '--connections must be a whole number from 1 to 10000'],
    [['create', '--name', 'a', '--fee-budget', '1.5'], '--fee-budget must be a whole number'],
    [['create', '--name', 'a', '--settles-per-minute', '1000001'], '--settles-per-minute must be'],
    [['revoke'], '<id> is missing'],
    [['revoke', 'acme'], "<id> must be a key's id"],
    [['forget'], 'there is no command "forget": name create, list, revoke, or rotate'],
  ])('is wrong usage: %j', async (args, problem) => {
    const { code, stdout, stderr } = await runKeys(storeInFile(), ...args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(problem);
  });

  test.each([[['keys', 'revoke', secret]], [['keys', secret]], [['backup', `x${secret}`]]])(
    'a key on the command line is refused, and not shown: %#',
    async (args) => {
      const { code, stdout, stderr } = await runInside(args, {});
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toMatch(/name it by its id, the 12 characters after sf_/);
      expect(stderr).not.toContain('AAAA');
    },
  );

  test('is done without a store: in memory, without a database', async () => {
    const { code, stdout, stderr } = await runInside(['keys', 'create', '--name', 'a'], {
      DB_PATH: ':memory:',
    });
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(/^DB_PATH is :memory:, where no key outlives this command/);
  });

  test('is done in a database that does not answer, which is named without its password', async () => {
    const DATABASE_URL = 'postgres://me:hunter2hunter2@127.0.0.1:1/none';
    const { code, stdout, stderr } = await runInside(['keys', 'list'], { DATABASE_URL });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^DATABASE_URL does not answer \(ECONNREFUSED\)/);
    expect(stderr).not.toMatch(/hunter2/);
  });
});
