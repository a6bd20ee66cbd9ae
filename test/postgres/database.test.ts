import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../src/store/postgres.ts';
import { DatabaseUnavailable } from '../../src/store/databaseErrors.ts';
import { silent } from '../support/service.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

if (binaries === undefined) console.log('skipped: a database that ends, as this machine has no PostgreSQL');

describe.skipIf(binaries === undefined)('a database', () => {
  let postgres: PostgresServer;
  beforeAll(async () => void (postgres = await openPostgres()));
  afterAll(() => postgres?.close());

  test('that ends between two statements of a transaction is unavailable for the second one', async () => {
    const db = createDatabase({ url: await postgres.database(), log: silent });
    onTestFinished(() => db.close());
    const transaction = db.transaction(async (query) => {
      const [row] = await query('SELECT pg_backend_pid() AS pid');
      const pid = Number(row!['pid']);
      await postgres.administer(`SELECT pg_terminate_backend(${pid}, 5000)`);
      // The end is heard of before the next statement.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return query('SELECT 1');
    });
    await expect(transaction).rejects.toThrow(DatabaseUnavailable);
  });
});
