import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { END, FEE_TOTALS, KNOW, LEASE, OPEN, WITHDRAW } from '../../src/journal/postgres/statements.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { silent } from '../support/service.ts';
import { binaries } from './server.ts';
import { postgres } from './shared.ts';

if (binaries === undefined)
  console.log('skipped: the journal in a database, as this machine has no PostgreSQL');

const INSTANCE = randomUUID();
const ACCOUNT = 'GSUBMITTER';
const NO_LISTING = null;

interface Budget {
  caller?: string;
  /** Stroops; a bid is 200. */
  limit?: number;
}

const UNNAMED = [null, null, null];

describe.skipIf(binaries === undefined)('the journal in a database', () => {
  let url: string;

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  beforeEach(async () => {
    url = await postgres.database();
    const db = createDatabase({ url, log: silent });
    await migrate(db);
    await db.query(KNOW, [[ACCOUNT]]);
    await db.query(LEASE, [INSTANCE, 60_000, [ACCOUNT], 1]);
    await db.close();
  });

  const entry = (hash: string, { caller = 'anonymous', limit }: Budget = {}): unknown[] => {
    const names = ['GPAYER', 'GPARTY', NO_LISTING, 'GPAYER:1', ACCOUNT];
    const [sequence, bids, maxTimeSeconds, lastLedger, sentInLedger] = ['1', [100, 200], 1_000, 20, 10];
    const facts = [sequence, ...bids, maxTimeSeconds, lastLedger, sentInLedger, true];
    return [INSTANCE, hash, randomUUID(), ...names, ...facts, caller, limit, undefined, '{}', ...UNNAMED];
  };
  const expired = (hash: string): unknown[] => [hash, null, 'never', null, null, null, null, null, null];

  test('an outcome does not end an entry that was opened again since', async () => {
    const client = await connect();
    const [first, again] = [entry('one'), entry('one')];
    await client.query(OPEN, first);
    await client.query(OPEN, again);
    await client.query(END, ['one', first[2], 'rejected', 'txBadSeq', null, null, null, null, null]);
    expect((await client.query('SELECT status FROM facilitator.entry')).rows).toEqual([{ status: null }]);
    await client.query(END, ['one', again[2], 'never', null, null, null, null, null, null]);
    expect((await client.query('SELECT status FROM facilitator.entry')).rows).toEqual([{ status: 'never' }]);
  });

  test('what is withdrawn is not opened by a statement that still waits for the account', async () => {
    const [holding, opening, withdrawing] = [await connect(), await connect(), await connect()];
    const waiting = async () =>
      (await holding.query('SELECT DISTINCT pid FROM pg_locks WHERE NOT granted')).rowCount;
    await holding.query('BEGIN');
    await holding.query('SELECT FROM facilitator.channel_account FOR UPDATE');
    const values = entry('one');
    const opened = opening.query(OPEN, values);
    await expect.poll(waiting).toBe(1);
    const withdrawn = withdrawing.query(WITHDRAW, ['one', values[2], ACCOUNT]);
    await expect.poll(waiting).toBe(2);
    await holding.query('COMMIT');
    await Promise.all([opened, withdrawn]);
    expect((await holding.query('SELECT FROM facilitator.entry')).rowCount).toBe(0);
    expect((await holding.query('SELECT FROM facilitator.in_flight')).rowCount).toBe(0);
  });

  test('an authorization stays held if another transaction for it is opened while the first one ends', async () => {
    const [opening, ending] = [await connect(), await connect()];
    await opening.query(OPEN, entry('first'));
    await opening.query('BEGIN');
    await opening.query(OPEN, entry('second'));
    const ended = ending.query(END, expired('first'));
    // It waits for the other one, if it must.
    await expect
      .poll(async () => (await opening.query('SELECT FROM pg_locks WHERE NOT granted')).rowCount)
      .toBeGreaterThan(0);
    await opening.query('COMMIT');
    await ended;
    const { rows } = await opening.query('SELECT "authorization" FROM facilitator.in_flight');
    expect(rows).toEqual([{ authorization: 'GPAYER:1' }]);
  });

  test('a bid is held to the budget of the day on which it counts, though another day begins meanwhile', async () => {
    const [holding, opening] = [await connect(), await connect()];
    await holding.query(`
      CREATE TABLE midnight AS SELECT clock_timestamp() + interval '1 second' AS at;
      CREATE OR REPLACE FUNCTION facilitator.day_of(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS
        $$ SELECT CASE WHEN $1 < at THEN 'day 1' ELSE 'day 2' END FROM public.midnight $$`);
    await opening.query(OPEN, entry('one', { limit: 200 }));
    await holding.query('BEGIN');
    await holding.query('SELECT FROM facilitator.fee_total FOR UPDATE');
    const opened = opening.query(OPEN, entry('two', { limit: 200 }));
    await holding.query('SELECT pg_sleep(1.2)');
    await holding.query('COMMIT');
    expect((await opened).rows).toEqual([{ opened: 'budget exhausted' }]);
  });

  test('each day has a budget of its own', async () => {
    const client = await connect();
    await client.query(OPEN, entry('one', { limit: 200 }));
    await client.query(
      "UPDATE facilitator.fee_total SET day = '2026-01-01', name = replace(name, day, '2026-01-01')",
    );
    expect((await client.query(OPEN, entry('two', { limit: 200 }))).rows).toEqual([{ opened: 'open' }]);
    expect((await client.query(FEE_TOTALS, ['anonymous'])).rows).toEqual([{ caller: '200', service: '200' }]);
    expect((await client.query(OPEN, entry('three', { limit: 200 }))).rows).toEqual([
      { opened: 'budget exhausted' },
    ]);
  });

  test('an entry that another caller opens again counts for that caller alone', async () => {
    const client = await connect();
    await client.query(OPEN, entry('one', { caller: 'key:a' }));
    await client.query(OPEN, entry('one', { caller: 'key:b', limit: 200 }));
    const { rows } = await client.query('SELECT name, stroops FROM facilitator.fee_total ORDER BY name');
    expect(rows.map(({ name, stroops }) => [name.replace(/ .*/, ''), stroops])).toEqual([
      ['key:a', '0'],
      ['key:b', '200'],
      ['service', '200'],
    ]);
  });
});
