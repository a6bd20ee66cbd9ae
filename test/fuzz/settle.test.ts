/** A short run of the model; `npm run fuzz -- settle` is the long one. */
import { expect, test } from 'vitest';
import { sample } from '../support/sample.ts';
import { settleRule } from './settle/index.ts';

const SEEDS = [20_261_124, sample(20_261_141, 4_000_000)];
const STEPS = sample(750, 8_000);
const LIMIT_MS = 300_000;
/** What the schedules must have come to, or they show nothing. */
const REACHED = [
  'a contract account pays',
  'a fee-bump account pays',
  'a payment is signed again',
  'a transaction applies',
  'a transaction applies for a seller who was not told of it',
  'a transaction fails on the ledger',
  'a transaction never applies',
  'answered: settled',
  'answered: invalid_exact_stellar_payload_simulation_failed (nothing paid)',
  'answered: invalid_exact_stellar_payload_simulation_failed (settled before)',
  'answered: settle_exact_stellar_signer_selection_failed (nothing paid)',
  'answered: settle_exact_stellar_transaction_failed (failed)',
  'answered: settle_exact_stellar_transaction_failed (not known)',
  'answered: settle_exact_stellar_transaction_failed (nothing paid)',
  'answered: settle_exact_stellar_transaction_submission_failed (nothing paid)',
  'answered: unexpected_settle_error (nothing paid)',
  'answered: verification_failed (nothing paid)',
  'killed: now',
  'killed: before it journals',
  'killed: after it journaled',
  'killed: after it sent',
  'killed: before it journals an end',
  'killed: after it journaled an end',
  'killed: before it lists',
  'killed: after it listed',
];

const { find, reached } = settleRule();

test.each(SEEDS)(
  'settle: whatever happens, each payment ends in one way, and what is said of it is true (seed %i)',
  { timeout: LIMIT_MS },
  async (seed) => {
    const { tried, complaint } = await find({ seed, runs: STEPS });
    expect(complaint).toBeUndefined();
    expect(tried).toBeGreaterThanOrEqual(STEPS);
  },
);

test('settle: the schedules came to all that they are for', () => {
  expect([...reached.keys()]).toEqual(expect.arrayContaining(REACHED));
});
