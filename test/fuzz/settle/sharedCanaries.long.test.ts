/** That the model finds what is broken where several instances share a database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { binaries, openPostgres, type PostgresServer } from '../../postgres/server.ts';
import { settleRule } from './index.ts';
import { SHARED_CANARIES } from './sharedCanaries.ts';
import { openSharedDatabase, type SharedDatabase } from './sharedDatabase.ts';

if (binaries === undefined)
  console.log('skipped: what the model finds in several instances, as this machine has no PostgreSQL');

const SEED = 26;
const STEPS = 6_000;
const CANARY_LIMIT_MS = 240_000;

describe.skipIf(binaries === undefined)('the model with several instances', () => {
  let postgres: PostgresServer;
  let shared: SharedDatabase;
  beforeAll(async () => {
    postgres = await openPostgres();
    shared = await openSharedDatabase(await postgres.database());
  });
  afterAll(async () => {
    await shared?.close();
    await postgres?.close();
  });

  test.each(SHARED_CANARIES)('finds $name', { timeout: CANARY_LIMIT_MS }, async ({ complaint, broken }) => {
    const found = await settleRule(broken, shared).find({ seed: SEED, runs: STEPS, shrink: false });
    expect(found.complaint?.split('\n')[0]).toMatch(complaint);
  });
});
