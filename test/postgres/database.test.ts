import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../src/store/postgres.ts';
import { DatabaseUnavailable } from '../../src/store/databaseErrors.ts';
import { silent } from '../support/service.ts';
import { openProxy } from './proxy.ts';
import { binaries } from './server.ts';
import { postgres } from './shared.ts';

if (binaries === undefined) console.log('skipped: a database that ends, as this machine has no PostgreSQL');

describe.skipIf(binaries === undefined)('a database', () => {
  test('cancels a statement before it is given up, so that nothing takes effect later', async () => {
    const limits = { answerWithinMs: 1_000 };
    const db = createDatabase({ url: await postgres.database(), log: silent, limits });
    onTestFinished(() => db.close());
    await db.query('CREATE TABLE late (id integer)');
    await expect(
      db.query('INSERT INTO late SELECT 1 FROM (SELECT pg_sleep(1.5)) AS slept'),
    ).rejects.toMatchObject({ name: 'DatabaseUnavailable', cause: { code: '57014' } });
  });

  test('means the same by a statement, whatever its own settings are', async () => {
    const url = await postgres.database();
    const name = new URL(url).pathname.slice(1);
    await postgres.administer(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await postgres.administer(`ALTER DATABASE ${name} SET lock_timeout = '1s'`);
    const db = createDatabase({ url, log: silent });
    onTestFinished(() => db.close());
    expect(await db.query('SHOW transaction_isolation')).toEqual([
      { transaction_isolation: 'read committed' },
    ]);
    expect(await db.query('SHOW lock_timeout')).toEqual([{ lock_timeout: '0' }]);
  });

  test('that falls silent is noticed by the connection that listens, which listens again', async () => {
    await using proxy = await openProxy(await postgres.database());
    const limits = { answerWithinMs: 500, askListenerEveryMs: 100, relistenAfterMs: 50 };
    const db = createDatabase({ url: proxy.url, log: silent, limits });
    onTestFinished(() => db.close());
    const heard: unknown[] = [];
    db.listener.on('news', (payload) => heard.push(payload));
    await expect.poll(() => heard).toEqual([undefined]);
    proxy.silence();
    await expect.poll(() => heard).toEqual([undefined, undefined]);
    await db.query("SELECT pg_notify('news', 'again')");
    await expect.poll(() => heard).toEqual([undefined, undefined, 'again']);
  });

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
