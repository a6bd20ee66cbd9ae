/** A short run of the fuzzer; `npm run fuzz` is the long one. */
import { afterAll, expect, test } from 'vitest';
import { openFilledService } from '../support/filledService.ts';
import { sample } from '../support/sample.ts';
import { createExchange } from './contract/exchange.ts';
import { contractRules } from './contract/index.ts';

const SEED = 20261121;
const TIMES = sample(0.5, 10);
const RULE_LIMIT_MS = Math.ceil(TIMES) * 120_000;

const service = await openFilledService({ ledgerMs: 100 });
const exchange = createExchange(service.url);
afterAll(async () => {
  exchange[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});
console.info(`seed ${SEED}`);

const rules = await contractRules(service, exchange);

test.each(rules)('$name', { timeout: RULE_LIMIT_MS }, async ({ name, runs, find }) => {
  const { tried, complaint } = await find({ seed: SEED, runs: Math.ceil(TIMES * runs) });
  if (complaint !== undefined)
    expect.fail(`${complaint}\n  found with npm run fuzz -- --seed ${SEED}\n  ${name}`);
  expect(tried).toBeGreaterThanOrEqual(TIMES * runs);
});

test('nothing of it was a fault of the service', () => {
  const faults = service.log.filter((line) => (JSON.parse(line) as { level: string }).level === 'error');
  expect(faults).toEqual([]);
});
