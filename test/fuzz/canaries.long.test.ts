/** That the fuzzer finds what is broken. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFilledService, type FilledService } from '../support/filledService.ts';
import { broken, CANARIES } from './canaries.ts';
import { createExchange, type Answer, type FuzzRequest } from './contract/exchange.ts';
import { contractRules } from './contract/index.ts';
import { complaintOf } from './contract/rule.ts';

const SEED = 20261121;
const CANARY_LIMIT_MS = 120_000;

let service: FilledService;
let exchange: ReturnType<typeof createExchange>;
beforeAll(async () => {
  service = await openFilledService();
  exchange = createExchange(service.url);
});
afterAll(async () => {
  exchange[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

test.each(CANARIES)('the fuzzer finds $name', { timeout: CANARY_LIMIT_MS }, async (canary) => {
  const complaint = await firstComplaint(canary);
  expect(complaint).toMatch(canary.complaint);
  expect(complaint).toContain('curl ');
});

async function firstComplaint(canary: (typeof CANARIES)[number]): Promise<string | undefined> {
  let rules;
  try {
    rules = await contractRules(service, broken(exchange, canary));
  } catch (error) {
    // Broken so badly that not even the catalog could be read.
    return complaintOf(error);
  }
  for (const { runs, find } of rules) {
    const { complaint } = await find({ seed: SEED, runs, shrink: false });
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

test('what it finds is made small', { timeout: CANARY_LIMIT_MS }, async () => {
  const canary = { name: 'a status of its own', complaint: '', garble: onlyIfOf('payTo') };
  const rules = await contractRules(service, broken(exchange, canary));
  const { find, runs } = rules.find(
    ({ name }) => name === 'listResources: every valid query is answered 200',
  )!;
  const { complaint } = await find({ seed: SEED, runs });
  // Of five filters and two numbers only the one that matters is left.
  expect(complaint).toMatch(/\/discovery\/resources\?payTo=[^&']*'/);
});

const onlyIfOf =
  (parameter: string) =>
  (answer: Answer, { target }: FuzzRequest): Answer =>
    target.includes(`${parameter}=`) ? { ...answer, status: 201 } : answer;
