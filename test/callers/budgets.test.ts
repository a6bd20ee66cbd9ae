import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SettleResponse } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ask as askOperator } from '../operator/asking.ts';
import { scrape, seriesIn } from '../operator/observed.ts';
import { binaries, rowsOf } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { openFacilitator, silent, type Facilitator, type FacilitatorOptions } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, sends } = settlementsOn(stage);

/** Where the totals are kept, and how they are read: stroops by name, without the day. */
interface Store {
  options: Partial<FacilitatorOptions>;
  totals(): Promise<Record<string, number>>;
}

function inFile(): Store {
  const path = join(temporaryFolder(), 'settlements.db');
  return {
    get options() {
      return { journal: openJournal({ path, log: silent }) };
    },
    totals() {
      using db = new DatabaseSync(path, { readOnly: true });
      return Promise.resolve(byName(db.prepare('SELECT name, stroops FROM fee_total').all()));
    },
  };
}

async function inDatabase(): Promise<Store> {
  const databaseUrl = await postgres.database();
  return {
    options: { databaseUrl },
    totals: async () => byName(await rowsOf(databaseUrl, 'SELECT name, stroops FROM facilitator.fee_total')),
  };
}

function byName(rows: readonly Record<string, unknown>[]): Record<string, number> {
  return Object.fromEntries(
    rows.map(({ name, stroops }) => [String(name).replace(/ [\d-]+$/, ''), Number(stroops)]),
  );
}

/** Settles a payment. The answer's status tells what the body does not. */
async function settle({ url }: Facilitator, payment = newPayment()) {
  const answer = await fetch(`${url}/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payment.request),
  });
  return {
    ...answer,
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as SettleResponse,
  };
}

const lumensOf = (keys: readonly { publicKey(): string }[]): bigint =>
  keys.reduce((sum, key) => sum + stage.sandbox.native(key.publicKey()), 0n);

/** Returns what one settlement is charged, and what it bids, with these fees. */
async function usualFee(): Promise<number> {
  const submitter = stage.sandbox.submitter();
  const facilitator = await stage.open({ submitters: [submitter] });
  const before = lumensOf([submitter]);
  expect((await settle(facilitator)).body).toMatchObject({ success: true });
  return Number(before - lumensOf([submitter]));
}

const stores: [name: string, open: () => Store | Promise<Store>][] = [['in a file', inFile]];
if (binaries === undefined) console.log('skipped: fee budgets in PostgreSQL, which this machine lacks');
else stores.push(['in PostgreSQL', inDatabase]);

describe.each(stores)('a fee budget %s', (_name, open) => {
  test('counts what the network charges, and refuses a payment whose bid exceeds the rest', async () => {
    const fee = await usualFee();
    const { options, totals } = await open();
    const submitters = [stage.sandbox.submitter()];
    const budget = 3 * fee + 5_000;
    const facilitator = await stage.open({
      ...options,
      submitters,
      callers: { anonymousFeeBudgetStroops: budget, serviceFeeBudgetStroops: 9 * budget },
      operator: {},
    });
    const before = lumensOf(submitters);
    let settled = 0;
    let last = await settle(facilitator);
    for (; last.body.success; last = await settle(facilitator)) settled += 1;
    const charged = Number(before - lumensOf(submitters));
    expect(settled).toBeGreaterThan(1);
    expect(charged).toBeLessThanOrEqual(budget);
    await expect.poll(totals).toEqual({ anonymous: charged, service: charged });
    const shown = seriesIn(await scrape(facilitator));
    expect(shown.get('fees_today_stroops{callers="anonymous"}')).toBe(charged);
    expect(shown.get('fee_budget_stroops{callers="all"}')).toBe(9 * budget);
    expect(shown.get('fee_budget_stroops{callers="anonymous"}')).toBe(budget);
    const { fees } = (await askOperator(facilitator.operatorUrl, '/overview')).body;
    expect(fees).toEqual({
      todayStroops: charged,
      budgetStroops: 9 * budget,
      anonymous: { todayStroops: charged, budgetStroops: budget },
    });

    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(last.headers.get('retry-after'))).toBeLessThanOrEqual(24 * 3600);
    expect(last.body).toMatchObject({
      success: false,
      errorReason: 'svc_fee_budget_exhausted',
      errorMessage: expect.stringContaining('budget of all callers without a key') as string,
    });
    // A budget is what the operator wants: no alert of failing settlements.
    expect(shown.get('settlements_total{code="svc_fee_budget_exhausted",outcome="refused"}')).toBe(1);
    const sent = sends();
    const payment = newPayment();
    expect((await settle(facilitator, payment)).status).toBe(429);
    expect(sends()).toBe(sent);
    expect(await facilitator.verify(payment.request)).toMatchObject({ isValid: true });
  });

  test('also counts payments that failed on the ledger', async () => {
    const { options, totals } = await open();
    const submitters = [stage.sandbox.submitter()];
    const facilitator = await stage.open({
      ...options,
      submitters,
      callers: { serviceFeeBudgetStroops: 10_000_000 },
    });
    const before = lumensOf(submitters);
    const key = stage.sandbox.account();
    stage.sandbox.stopLedgers();
    const sentBefore = sends();
    const failing = settle(facilitator, newPayment({ key }));
    await expect.poll(sends, { interval: 2 }).toBe(sentBefore + 1);
    stage.sandbox.network.burn(key.publicKey(), stage.sandbox.usdc(key.publicKey()));
    stage.sandbox.faults.clear();
    expect((await failing).body).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
    });
    const charged = Number(before - lumensOf(submitters));
    expect(charged).toBeGreaterThan(0);
    await expect.poll(totals).toEqual({ anonymous: charged, service: charged });
  });

  test('is not exceeded by payments that are made at the same time', async () => {
    const fee = await usualFee();
    const { options, totals } = await open();
    const submitters = Array.from({ length: 8 }, () => stage.sandbox.submitter());
    const budget = 6 * fee;
    const facilitator = await stage.open({
      ...options,
      submitters,
      callers: { serviceFeeBudgetStroops: budget },
    });
    const before = lumensOf(submitters);
    const answers = await Promise.all(Array.from({ length: 24 }, () => settle(facilitator)));
    const charged = Number(before - lumensOf(submitters));
    const settled = answers.filter(({ body }) => body.success).length;
    expect(charged).toBeLessThanOrEqual(budget);
    expect(settled).toBeGreaterThan(0);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(24 - settled);
    // A payment that lost a race for the last of it cannot tell whose budget it was.
    expect(refused.map(({ body }) => body.errorMessage)).toContainEqual(
      expect.stringContaining('budget of all callers of this facilitator'),
    );
    await expect.poll(totals).toEqual({ anonymous: charged, service: charged });
  });

  test('goes on after a restart, with what was charged before', async () => {
    const fee = await usualFee();
    const store = await open();
    const submitters = [stage.sandbox.submitter()];
    const callers = { anonymousFeeBudgetStroops: Math.ceil(2.6 * fee) };
    const rpcUrl = stage.sandbox.url;
    const first = await openFacilitator({ ...store.options, rpcUrl, submitters, callers });
    const before = lumensOf(submitters);
    expect((await settle(first)).body).toMatchObject({ success: true });
    // Until its fee is recorded, which the answer does not wait for, the whole bid counts.
    const charged = Number(before - lumensOf(submitters));
    await expect.poll(store.totals).toEqual({ anonymous: charged, service: charged });
    expect((await settle(first)).body).toMatchObject({ success: true });
    await first.close();
    const next = await stage.open({ ...store.options, submitters, callers });
    expect((await settle(next)).status).toBe(429);
  });
});

describe.skipIf(binaries === undefined)('a fee budget that instances share', () => {
  test('is not exceeded by payments at all of them', async () => {
    const fee = await usualFee();
    const { options, totals } = await inDatabase();
    const submitters = Array.from({ length: 6 }, () => stage.sandbox.submitter());
    const budget = 8 * fee;
    const callers = { anonymousFeeBudgetStroops: budget };
    const instances = await Promise.all([1, 2, 3].map(() => stage.open({ ...options, submitters, callers })));
    const before = lumensOf(submitters);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => settle(instances[nth % instances.length]!)),
    );
    const charged = Number(before - lumensOf(submitters));
    expect(charged).toBeLessThanOrEqual(budget);
    expect(answers.filter(({ body }) => body.success).length).toBeGreaterThan(2);
    await expect.poll(totals).toEqual({ anonymous: charged, service: charged });
  });
});

test('with a budget, nothing is sent that cannot be recorded', async () => {
  const journal = openJournal({ path: ':memory:', log: silent });
  const facilitator = await stage.open({ journal, callers: { anonymousFeeBudgetStroops: 1_000_000 } });
  journal.end();
  onTestFinished(() => journal.end());
  const sent = sends();
  expect((await settle(facilitator)).body).toMatchObject({ errorReason: 'svc_database_unavailable' });
  expect(sends()).toBe(sent);
});
