/** A short run of the model with several instances on one database; `npm run fuzz -- settle` is the long one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { sample } from '../support/sample.ts';
import { settleRule, type SettleRule } from './settle/index.ts';
import { openSharedDatabase, type SharedDatabase } from './settle/sharedDatabase.ts';

if (binaries === undefined)
  console.log('skipped: the model with several instances, as this machine has no PostgreSQL');

const SEED = sample(20_261_123, 6_000_000);
const STEPS = sample(150, 9_000);
const LIMIT_MS = 600_000;
/** What the schedules must have come to, or they show nothing. */
const REACHED = [
  'a transaction applies',
  'a transaction applies for a seller who was not told of it',
  'an instance is paused for longer than a lease',
  'a statement fails: refused',
  'a statement fails: answer lost',
  'a statement fails: slow',
  'a statement fails: late',
  'answered: svc_database_unavailable (nothing paid)',
  'answered: verification_failed (nothing paid)',
  'killed: now',
];

describe.skipIf(binaries === undefined)('settle with several instances', () => {
  let shared: SharedDatabase;
  let rule: SettleRule;
  beforeAll(async () => {
    shared = await openSharedDatabase(await postgres.database());
    rule = settleRule({}, shared);
  });
  afterAll(() => shared?.close());

  test(
    `whatever happens, each payment ends in one way, and what is said of it is true (seed ${SEED})`,
    { timeout: LIMIT_MS },
    async () => {
      const { tried, complaint } = await rule.find({ seed: SEED, runs: STEPS });
      expect(complaint).toBeUndefined();
      expect(tried).toBeGreaterThanOrEqual(STEPS);
    },
  );

  test('the schedules came to all that they are for', () => {
    expect([...rule.reached.keys()]).toEqual(expect.arrayContaining(REACHED));
  });
});
