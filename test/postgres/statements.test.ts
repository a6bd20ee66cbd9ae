import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { END, KNOW, LEASE, OPEN, WITHDRAW } from '../../src/journal/postgres/statements.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { silent } from '../support/service.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

if (binaries === undefined)
  console.log('skipped: the journal in a database, as this machine has no PostgreSQL');

const INSTANCE = randomUUID();
const ACCOUNT = 'GSUBMITTER';
const NO_LISTING = null;

describe.skipIf(binaries === undefined)('the journal in a database', () => {
  let postgres: PostgresServer;
  let url: string;
  beforeAll(async () => void (postgres = await openPostgres()));
  afterAll(() => postgres?.close());

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

  const entry = (hash: string): unknown[] => {
    const names = ['GPAYER', 'GPARTY', NO_LISTING, 'GPAYER:1', ACCOUNT];
    const [sequence, bids, maxTimeSeconds, lastLedger, sentInLedger] = ['1', [100, 200], 1_000, 20, 10];
    const facts = [sequence, ...bids, maxTimeSeconds, lastLedger, sentInLedger, true];
    return [INSTANCE, hash, randomUUID(), ...names, ...facts];
  };
  const expired = (hash: string): unknown[] => [hash, null, 'never', null, null, null, null];

  test('an outcome does not end an entry that was opened again since', async () => {
    const client = await connect();
    const [first, again] = [entry('one'), entry('one')];
    await client.query(OPEN, first);
    await client.query(OPEN, again);
    await client.query(END, ['one', first[2], 'rejected', 'txBadSeq', null, null, null]);
    expect((await client.query('SELECT status FROM facilitator.entry')).rows).toEqual([{ status: null }]);
    await client.query(END, ['one', again[2], 'never', null, null, null, null]);
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
});
