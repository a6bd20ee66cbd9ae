import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { END, KNOW, LEASE, OPEN } from '../../src/journal/postgres/statements.ts';
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
  const expired = (hash: string): unknown[] => [hash, 'never', null, null, null, null];

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
