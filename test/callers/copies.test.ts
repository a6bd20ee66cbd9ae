import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { binaries, rowsOf } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { runMigrate } from '../postgres/filledFiles.ts';
import { runInside } from '../support/cli.ts';
import { listedKeys, makeKey, runKeys, storeInFile, type StoreOfKeys } from './stores.ts';

/** A service's files with three keys, of which one is revoked. */
async function filledStore(): Promise<StoreOfKeys> {
  const store = storeInFile();
  openDatabase(store.options.dbPath!).close();
  await makeKey(store, '--fee-budget', '7', '--connections', '2');
  const { id } = await makeKey(store);
  await makeKey(store);
  await runKeys(store, 'revoke', id);
  return store;
}

test('a backup holds the keys', async () => {
  const store = await filledStore();
  const target = join(temporaryFolder(), 'backup.db');
  expect((await runInside(['backup', target], store.environment)).code).toBe(0);
  const backup = { environment: { DB_PATH: target }, options: { dbPath: target } };
  expect(await listedKeys(backup)).toEqual(await listedKeys(store));
});

describe.skipIf(binaries === undefined)('keys that are moved into PostgreSQL', () => {
  async function database(): Promise<StoreOfKeys & { url: string }> {
    const url = await postgres.database();
    return { url, environment: { DATABASE_URL: url }, options: { databaseUrl: url } };
  }

  test('are the same there, and can be revoked and replaced', async () => {
    const [from, to] = [await filledStore(), await database()];
    expect(await runMigrate(from.options.dbPath!, to.url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('facilitator.caller_key: 3 rows'),
    });
    const listed = await listedKeys(from);
    expect(await listedKeys(to)).toEqual(listed);
    expect((await runKeys(to, 'rotate', listed[0]!.id)).code).toBe(0);
    expect((await listedKeys(to)).map(({ revokedAt }) => revokedAt === null)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('are compared with the file', async () => {
    const [from, to] = [await filledStore(), await database()];
    await runMigrate(from.options.dbPath!, to.url);
    await rowsOf(to.url, "UPDATE facilitator.caller_key SET secret_hash = '\\x00' WHERE change = 1");
    expect(await runMigrate(from.options.dbPath!, to.url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('caller_key 1: differs in secret_hash'),
    });
  });

  test('are refused by a database that has other keys', async () => {
    const [from, to] = [await filledStore(), await database()];
    const own = await makeKey(to);
    expect((await runMigrate(from.options.dbPath!, to.url)).code).toBe(78);
    expect((await listedKeys(to)).map(({ id }) => id)).toEqual([own.id]);
  });
});
