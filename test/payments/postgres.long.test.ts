import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../../src/store/postgres.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { binaries, openPostgres, rowsOf, type PostgresServer } from '../postgres/server.ts';
import { silent } from '../support/service.ts';
import { runNarrow, runPayments } from './support.ts';

const MANY = 100_000;
const STREAM_TIMEOUT_MS = 180_000;

if (binaries === undefined) console.log('skipped: payments in a database, as this machine has no PostgreSQL');
else
  describe('a database', () => {
    let server: PostgresServer;
    beforeAll(async () => void (server = await openPostgres()));
    afterAll(() => server.close());

    async function prepared(): Promise<string> {
      const url = await server.database();
      const db = createDatabase({ url, log: silent });
      await migrate(db);
      await db.close();
      return url;
    }

    test('that no service has used is not read, and not changed: exit code 78', async () => {
      const DATABASE_URL = await server.database();
      for (const args of [[], ['--audit'], ['show', 'a'.repeat(64)]])
        expect(await runPayments({ DATABASE_URL }, ...args)).toEqual({
          ...{ code: 78, stdout: '' },
          stderr: 'DATABASE_URL holds nothing of this service: start the service on it once\n',
        });
      const schemas = await rowsOf(DATABASE_URL, "SELECT FROM pg_namespace WHERE nspname = 'facilitator'");
      expect(schemas).toEqual([]);
    });

    test.each([
      ['version = 1', 'was written by an older version of this service: start this version on it once'],
      ['version = 999', 'was written by a newer version of this service'],
      ['is_moving_in = true', 'has only a part of what is moved in'],
    ])('whose format is not the current one is not read: %s', async (change, problem) => {
      const DATABASE_URL = await prepared();
      await rowsOf(DATABASE_URL, `UPDATE facilitator.format SET ${change}`);
      const { code, stdout, stderr } = await runPayments({ DATABASE_URL });
      expect([code, stdout]).toEqual([78, '']);
      expect(stderr).toContain(`DATABASE_URL ${problem}`);
    });

    test(
      `streams ${MANY} settlements in little memory`,
      async () => {
        const DATABASE_URL = await prepared();
        await rowsOf(
          DATABASE_URL,
          `INSERT INTO facilitator.entry (hash, opening, opened_at, payer, party, "authorization", submitter, sequence,
           inclusion_bid_stroops, total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, is_stellar_asset,
           resource, status)
         SELECT lpad(to_hex(n), 64, '0'), gen_random_uuid(), now() - n * interval '1 second', 'GPAYER', 'GPAYER', 'G:' || n,
           'G', 1, 1, 1, 1, 1, 1, true, 'https://shop.example/' || repeat('0', 1000), 'success'
         FROM generate_series(1, ${MANY}) AS n`,
        );
        await rowsOf(DATABASE_URL, 'ANALYZE facilitator.entry');
        expect(await runNarrow({ DATABASE_URL }, '--json')).toBe(MANY);
      },
      STREAM_TIMEOUT_MS,
    );
  });
