import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { DEFAULT_CALLERS } from '../../src/config/callers.ts';
import { createMetrics } from '../../src/operator/metrics/index.ts';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { idleScheme } from '../support/idleScheme.ts';
import { catalogDouble } from '../support/catalogDouble.ts';
import type { Facilitator, FacilitatorOptions } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { changesBy, PREFIX, scrape, seriesIn, withListing } from './observed.ts';
import { ask } from './asking.ts';
import { readOpenMetrics } from './openMetrics.ts';

const stage = useStage();
const { newPayment, settlement, sent } = settlementsOn(stage);

const open = (options: Partial<FacilitatorOptions> = {}) => stage.open({ operator: {}, ...options });
const gauges = async (facilitator: Facilitator) => Object.fromEntries(seriesIn(await scrape(facilitator)));
const post = ({ url }: Facilitator, path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:9';

const rpcCall = (node: string, method: string) =>
  `rpc_duration_seconds{method="${method}",node=${JSON.stringify(node)}}`;

describe('what is counted', () => {
  test('a good verify changes the counts of verifies and of the one call of the RPC', async () => {
    const facilitator = await open();
    const { request } = newPayment();
    expect(await changesBy(facilitator, () => facilitator.verify(request))).toEqual({
      'requests_total{operation="verifyPayment",status="200"}': 1,
      'verifies_total{outcome="valid"}': 1,
      verify_duration_seconds: 1,
      [rpcCall(stage.sandbox.url, 'simulateTransaction')]: 1,
    });
  });

  test('a refused verify is counted by its code', async () => {
    const facilitator = await open();
    const { request } = newPayment();
    const amount = String(Number(request.paymentRequirements.amount) + 1);
    const wrong = { ...request, paymentRequirements: { ...request.paymentRequirements, amount } };
    expect(await changesBy(facilitator, () => facilitator.verify(wrong))).toEqual({
      'requests_total{operation="verifyPayment",status="200"}': 1,
      'verifies_total{code="invalid_exact_stellar_payload_wrong_amount",outcome="refused"}': 1,
      verify_duration_seconds: 1,
    });
  });

  test('a settlement changes the counts of settlements, transactions and fees', async () => {
    const facilitator = await open();
    const { request } = newPayment();
    let hash = '';
    const changes = await changesBy(facilitator, async () => {
      hash = (await facilitator.settle(request)).transaction;
    });
    const { feeCharged, feeBump, tx } = settlement(hash);
    const ofRpc = Object.keys(changes).filter((series) => series.startsWith('rpc_duration_seconds'));
    expect(ofRpc).toEqual(
      expect.arrayContaining([
        rpcCall(stage.sandbox.url, 'simulateTransaction'),
        rpcCall(stage.sandbox.url, 'sendTransaction'),
        rpcCall(stage.sandbox.url, 'getTransaction'),
      ]),
    );
    expect(Object.fromEntries(Object.entries(changes).filter(([series]) => !ofRpc.includes(series)))).toEqual(
      {
        'requests_total{operation="settlePayment",status="200"}': 1,
        'settlements_total{outcome="settled"}': 1,
        settle_duration_seconds: 1,
        transactions_sent_total: 1,
        'transactions_total{outcome="applied"}': 1,
        fees_bid_stroops_total: Number(feeBump?.fee ?? tx.fee),
        fees_charged_stroops_total: Number(feeCharged),
        close_to_answer_seconds: 1,
      },
    );
    expect((await gauges(facilitator))['fees_today_stroops{callers="all"}']).toBe(Number(feeCharged));
  });

  test('a transaction that the network rejects is counted, and costs nothing', async () => {
    const facilitator = await open();
    const { request } = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txInternalError', times: 1 });
    const changes = await changesBy(facilitator, () => facilitator.settle(request));
    expect(changes).toMatchObject({
      'settlements_total{code="settle_exact_stellar_transaction_submission_failed",outcome="error"}': 1,
      'transactions_total{outcome="rejected"}': 1,
    });
    expect(changes).not.toHaveProperty('fees_charged_stroops_total');
  });

  test('a payment that must wait for a channel account is counted with its wait', async () => {
    const facilitator = await open();
    const payments = [newPayment(), newPayment()];
    const changes = await changesBy(facilitator, () =>
      Promise.all(payments.map(({ request }) => facilitator.settle(request))),
    );
    expect(changes).toMatchObject({ account_wait_seconds: 1, 'settlements_total{outcome="settled"}': 2 });
  });

  test('a listing, a list and a search change the counts of the catalog', async () => {
    const facilitator = await open();
    const { request } = newPayment();
    expect(
      await changesBy(facilitator, () => facilitator.settle(withListing(request, 'weather'))),
    ).toMatchObject({
      'catalog_submissions_total{outcome="success"}': 1,
      catalog_write_duration_seconds: 1,
    });
    expect(await gauges(facilitator)).toMatchObject({ catalog_listings: 1, catalog_threads_up: 1 });
    const get = (path: string) => changesBy(facilitator, () => fetch(facilitator.url + path));
    expect(await get('/discovery/search?query=weather')).toEqual({
      'requests_total{operation="searchResources",status="200"}': 1,
      'catalog_query_duration_seconds{operation="search"}': 1,
    });
    expect(await get('/discovery/resources')).toEqual({
      'requests_total{operation="listResources",status="200"}': 1,
      'catalog_query_duration_seconds{operation="list"}': 1,
    });
  });

  test('callers that are refused are counted by code', async () => {
    const facilitator = await open({
      callers: { limits: { ...DEFAULT_CALLERS.limits, verifiesPerMinute: 1 } },
    });
    const [first, second] = [newPayment(), newPayment()];
    await facilitator.verify(first.request);
    expect(await changesBy(facilitator, () => facilitator.verify(second.request))).toEqual({
      'requests_total{operation="verifyPayment",status="429"}': 1,
      'request_refusals_total{code="svc_rate_limited"}': 1,
      'verifies_total{code="svc_rate_limited",outcome="refused"}': 1,
      verify_duration_seconds: 1,
    });
    expect(await changesBy(facilitator, () => fetch(`${facilitator.url}/nowhere`))).toEqual({
      'requests_total{operation="none",status="404"}': 1,
      'request_refusals_total{code="svc_unknown_route"}': 1,
    });
  });

  test('a journal that cannot be written is counted', async () => {
    const dbPath = join(temporaryFolder(), 'catalog.db');
    const facilitator = await open({ dbPath });
    const other = new DatabaseSync(journalPathOf(dbPath));
    other.exec('BEGIN IMMEDIATE');
    const changes = await changesBy(facilitator, () => facilitator.settle(newPayment().request));
    other.close();
    expect(changes['journal_faults_total']).toBeGreaterThan(0);
  });
});

describe('what is measured at a scrape', () => {
  test('a dead node is counted by the kind of its faults, and rests', async () => {
    const facilitator = await open({ rpcUrl: [DEAD, stage.sandbox.url] });
    const verify = () => facilitator.verify(newPayment().request);
    const changes = await changesBy(facilitator, async () => {
      for (let nth = 0; nth < RPC_LIMITS.faultsBeforeRest; nth += 1) await verify();
    });
    const faults = Object.keys(changes).filter((series) => series.startsWith('rpc_faults_total'));
    for (const series of faults) expect(series).toMatch(/kind="connection".*node="http:\/\/127\.0\.0\.1:9"/);
    const shown = await gauges(facilitator);
    expect(shown).toMatchObject({
      'rpc_node_state{node="http://127.0.0.1:9",state="resting"}': 1,
      'rpc_node_state{node="http://127.0.0.1:9",state="sound"}': 0,
      [`rpc_node_state{node="${stage.sandbox.url}",state="sound"}`]: 1,
      rpc_up: 1,
    });
    const total = Object.entries(shown).filter(([series]) => series.startsWith('rpc_faults_total'));
    expect(total.reduce((sum, [, value]) => sum + value, 0)).toBeGreaterThanOrEqual(
      RPC_LIMITS.faultsBeforeRest,
    );
  });

  test('an RPC that fails is down', async () => {
    const facilitator = await open();
    expect(await gauges(facilitator)).toMatchObject({ rpc_up: 1 });
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 500 });
    await expect.poll(async () => (await gauges(facilitator))['rpc_up'], { timeout: 10_000 }).toBe(0);
    const fault = `rpc_faults_total{kind="status",method="getLedgerEntries",node="${stage.sandbox.url}"}`;
    expect((await gauges(facilitator))[fault]).toBeGreaterThan(0);
  });

  test('accounts are counted by state, with their balances', async () => {
    const [full, missing] = [stage.sandbox.submitter(), stage.sandbox.keyWithoutAccount()];
    const poor = stage.sandbox.keyWithoutAccount();
    stage.sandbox.network.createAccount(poor.publicKey(), 10_000_000n);
    const facilitator = await open({ submitters: [full, missing, poor] });
    expect(await gauges(facilitator)).toMatchObject({
      'accounts{state="free"}': 1,
      'accounts{state="busy"}': 0,
      'accounts{state="missing"}': 1,
      'accounts{state="low"}': 1,
      low_accounts: 2,
      fee_bump_low: 0,
      [`account_balance_stroops{account="${full.publicKey()}",role="channel"}`]: 100_000_000_000,
      [`account_balance_stroops{account="${poor.publicKey()}",role="channel"}`]: 10_000_000,
    });
    expect(await gauges(await open({ feeBump: poor }))).toMatchObject({ low_accounts: 1, fee_bump_low: 1 });
  });

  test('the line, and what is in flight, are as they are', async () => {
    const facilitator = await open();
    stage.sandbox.stopLedgers();
    const settled = [newPayment(), newPayment(), newPayment()].map(({ request }) =>
      facilitator.settle(request),
    );
    await sent(1);
    await expect
      .poll(() => gauges(facilitator))
      .toMatchObject({
        waiting_payments: 2,
        waiting_places: 2,
        transactions_in_flight: 1,
        'accounts{state="busy"}': 1,
        'request_places{operation="settlePayment"}': 3,
      });
    expect((await gauges(facilitator))['waiting_oldest_seconds']).toBeGreaterThan(0);
    stage.sandbox.faults.clear();
    await Promise.all(settled);
    expect(await gauges(facilitator)).toMatchObject({ waiting_payments: 0, transactions_in_flight: 0 });
  });

  test('what does not answer holds a scrape up no longer than allowed', async () => {
    const metrics = createMetrics({
      version: '1',
      network: 'n',
      feeBudgets: { all: undefined, anonymous: undefined },
      readWithinMs: 10,
    });
    const never = new Promise<never>(() => {});
    const { body } = await metrics.text({
      scheme: { ...idleScheme, readBalances: () => never },
      catalog: catalogDouble({ countListings: () => never }),
      journal: { feesToday: () => never },
      http: { state: () => ({ connections: 0, maxConnections: 0, places: [] }) },
      readiness: () => never,
      lostLogLines: () => 7,
    });
    const shown = seriesIn(readOpenMetrics(body));
    expect(shown.get('rpc_up')).toBe(0);
    expect(shown.get('log_lines_lost_total')).toBe(7);
  });
});

test('a check of readiness that fails is named', async () => {
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const facilitator = await open({ dbPath });
  const names = ['rpc', 'accounts', 'journal', 'catalog', 'keys', 'policy'];
  const all = (values: Record<string, number>) =>
    Object.fromEntries(names.map((name) => [`check_ok{check="${name}"}`, values[name] ?? 1]));
  await expect.poll(() => gauges(facilitator), { timeout: 20_000 }).toMatchObject(all({}));
  const other = new DatabaseSync(journalPathOf(dbPath));
  other.exec('BEGIN IMMEDIATE');
  await expect.poll(() => gauges(facilitator), { timeout: 20_000 }).toMatchObject(all({ journal: 0 }));
  other.close();
});

describe('the set of series', () => {
  const ROUNDS = 200;
  const AT_ONCE = 50;

  /** Sends what no two rounds have in common: a path, a query, a network, codes and a key. */
  async function provoke(facilitator: Facilitator, nth: number): Promise<void> {
    const { request } = example;
    const made = `made_up_${nth}`;
    const named = (changes: object) =>
      JSON.stringify({ ...request, paymentRequirements: { ...request.paymentRequirements, ...changes } });
    const answers = await Promise.all([
      fetch(`${facilitator.url}/${made}`, { method: 'POST', headers: { 'x-request-id': made } }),
      fetch(`${facilitator.url}/discovery/search?query=${made}&network=${made}`),
      post(facilitator, '/verify', named({ network: made, scheme: made })),
      post(facilitator, '/settle', named({ network: made, invalidReason: made, errorReason: made })),
      post(facilitator, '/verify', named({}), { authorization: `Bearer ${made}` }),
    ]);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }

  let example: ReturnType<typeof newPayment>;

  test('stays the same, whatever clients make up', async () => {
    const facilitator = await open();
    example = newPayment();
    await provoke(facilitator, 0);
    const known = [...seriesIn(await scrape(facilitator)).keys()];
    for (let nth = 1; nth < ROUNDS; nth += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => provoke(facilitator, nth + at)));
    // More may be refused for being too many.
    const grown = [...seriesIn(await scrape(facilitator)).keys()].filter((series) => !known.includes(series));
    expect(grown.filter((series) => !/status="503"|svc_overloaded/.test(series))).toEqual([]);
    expect(known.join()).not.toContain('made_up');
  }, 120_000);

  test('knows no code but those of the contract', () => {
    const { observers, text } = createMetrics({
      version: '1',
      network: 'n',
      feeBudgets: { all: undefined, anonymous: undefined },
    });
    for (let nth = 0; nth < 1_000; nth += 1)
      for (const operation of ['verifyPayment', 'settlePayment', 'getSupported'] as const)
        observers.http.answered(operation, 200, `svc_made_up_${nth}`, 1);
    return expect(
      text({
        scheme: idleScheme,
        catalog: catalogDouble(),
        journal: { feesToday: () => ({ all: 0, anonymous: 0 }) },
        http: { state: () => ({ connections: 0, maxConnections: 0, places: [] }) },
        readiness: async () => ({ ready: true, checks: [] }),
        lostLogLines: () => 0,
      }).then(({ body }) => body),
    ).resolves.not.toContain('made_up');
  });

  test('of two services in one process are apart', async () => {
    const [one, other] = [await open(), await open()];
    await one.verify(newPayment().request);
    const valid = async (facilitator: Facilitator) =>
      (await gauges(facilitator))['verifies_total{outcome="valid"}'];
    expect([await valid(one), await valid(other)]).toEqual([1, 0]);
  });
});

test('the text is OpenMetrics, and says so', async () => {
  const facilitator = await open();
  const { headers, text } = await ask(facilitator.operatorUrl, '/metrics');
  expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const names = readOpenMetrics(text).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      `${PREFIX}build_info`,
      'process_cpu_seconds',
      'nodejs_eventloop_lag_p99_seconds',
    ]),
  );
});
