import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scheme } from '../../src/scheme/index.ts';
import { AMOUNT } from '../support/payments.ts';
import { LEDGER_MS, useScriptedNetwork } from '../support/scriptedNetwork.ts';

const scripted = useScriptedNetwork();

const PHASES = 20;
const SEED = 20_261_121;
const SETTLEMENTS = 4;
const MOST_CALLS = 5;

interface Rhythm {
  /** How long ago the latest ledger closed when the service opens. */
  phaseMs: number;
  /** How long each payment comes after the end of the one before. */
  pausesMs: number[];
  latenciesMs: number[];
}

const rhythms = fc.sample(
  fc.record<Rhythm>({
    phaseMs: fc.nat(LEDGER_MS - 1),
    pausesMs: fc.array(fc.integer({ min: 0, max: 3 * LEDGER_MS }), {
      minLength: SETTLEMENTS,
      maxLength: SETTLEMENTS,
    }),
    latenciesMs: fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 1, maxLength: 20 }),
  }),
  { seed: SEED, numRuns: PHASES },
);
console.log(`seed of the ledger rhythms: ${SEED}`);

/** How many calls the settlement of one payment takes, alone. */
async function callsOf(settle: Scheme['settle']): Promise<number> {
  const payment = scripted.payment();
  scripted.forgetCalls();
  expect(await scripted.ended(settle(payment))).toMatchObject({ success: true });
  expect(scripted.paid(payment)).toBe(AMOUNT);
  return Object.values(scripted.calls()).reduce((sum, count) => sum + count, 0);
}

test.each(rhythms)(
  'a settlement alone costs at most five calls on a network with 5 s ledgers: opened $phaseMs ms after one',
  async ({ phaseMs, pausesMs, latenciesMs }) => {
    let calls = 0;
    scripted.latencyMs = () => latenciesMs[calls++ % latenciesMs.length]!;
    await scripted.pass(phaseMs);
    const { open, settle } = scripted.scheme();
    await scripted.ended(open());
    const costs: number[] = [];
    for (const pauseMs of pausesMs) {
      costs.push(await callsOf(settle));
      await scripted.pass(pauseMs);
    }
    // The first is cold: the service has seen one answer of the network only.
    expect(
      costs.every((cost) => cost <= MOST_CALLS),
      `calls: ${costs.join(', ')}`,
    ).toBe(true);
  },
);
