import { expect } from 'vitest';
import { disagreementsAtTheEnd } from '../world/oracle/index.ts';
import { until, type World } from './world.ts';

/** After a fault has cleared, within so many ledgers the next payment is on the ledger. */
const MOST_LEDGERS = 200;

/** Ends all faults, waits until every outcome is known, and holds each submitter to settling the next payment. */
export async function expectRecovery(world: World): Promise<void> {
  await world.mend();
  await everythingEnds(world);
  const asked = world.network.latestLedger;
  const payments = world.submitters.map(() => world.payment());
  const answers = await Promise.all(payments.map((payment) => world.settle(payment)));
  expect(answers.map(({ errorMessage = 'settled' }) => errorMessage)).toEqual(payments.map(() => 'settled'));
  const authorizations = new Set(payments.map(({ authorization }) => authorization));
  const taken = world.ledger().filter(({ authorization }) => authorizations.has(authorization));
  expect(taken.map(({ submitter }) => submitter).sort()).toEqual(
    world.submitters.map((key) => key.publicKey()).sort(),
  );
  for (const { ledger } of taken) expect(ledger - asked).toBeLessThanOrEqual(MOST_LEDGERS);
  await expectTruth(world);
}

/** Holds what the sellers were told, the journal and the balances to the ledger. All faults must have ended. */
export async function expectTruth(world: World): Promise<void> {
  await everythingEnds(world);
  // Nothing that is still on its way may change what is found now.
  const last = world.network.latestLedger + 2;
  await until('two more ledgers have closed', () => world.network.latestLedger >= last);
  expect(disagreementsAtTheEnd(world.facts(), [])).toEqual([]);
}

const everythingEnds = (world: World): Promise<void> =>
  until('no outcome is open', () => world.journal().every(({ status }) => status !== null));
