import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { expectFiring, promtool, RULES, runPromtool, type Series } from './promtool.ts';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** A series of every five seconds: one value for the first minute, and another from then on. */
const turns = (before: string, after: string) => `${before}x12 ${after}x60`;
const becomes = (before: number, after: number) => turns(String(before), String(after));
/** A counter that stands for a minute, and then grows by so much every five seconds. */
const grows = (by: number) => turns('0+0', `${by}+${by}`);

const SCRAPED = 'job="facilitator",instance="one"';
const name = (metric: string, labels = '') => `${metric}{${SCRAPED}${labels && `,${labels}`}}`;
const own = (metric: string, labels = '') => name(`facilitator_${metric}`, labels);

const HEALTHY: Series = {
  [name('up')]: '1x72',
  [own('check_ok', 'check="catalog"')]: '1x72',
  [own('check_warning', 'check="policy"')]: '0x72',
  [own('rpc_up')]: '1x72',
  [own('ledger_lag_seconds')]: '4x72',
  ...Object.fromEntries(
    ['sound', 'resting', 'stale', 'foreign'].map((state) => [
      own('rpc_node_state', `node="http://a",state="${state}"`),
      state === 'sound' ? '1x72' : '0x72',
    ]),
  ),
  [own('accounts', 'state="free"')]: '2x72',
  [own('accounts', 'state="busy"')]: '0x72',
  [own('accounts', 'state="missing"')]: '0x72',
  [own('accounts', 'state="elsewhere"')]: '0x72',
  [own('fee_bump_low')]: '0x72',
  [own('low_accounts')]: '0x72',
  [own('waiting_places')]: '3x72',
  [own('waiting_places_limit')]: '3000x72',
  [own('waiting_oldest_seconds')]: '4x72',
  [own('settlements_total', 'outcome="settled"')]: '0+10x72',
  [own('settlements_total', 'outcome="refused",code="invalid_network"')]: '0+10x72',
  [own('settlements_total', 'outcome="error",code="unexpected_settle_error"')]: '0+0x72',
  [own('transactions_total', 'outcome="applied"')]: '0+10x72',
  [own('transactions_total', 'outcome="failed"')]: '0+0x72',
  [own('fees_today_stroops', 'callers="all"')]: '100x72',
  [own('fee_budget_stroops', 'callers="all"')]: '1000x72',
  [own('journal_faults_total')]: '5x72',
  [own('catalog_failing')]: '0x72',
  [own('catalog_threads_up')]: '1x72',
  [own('request_refusals_total', 'code="svc_overloaded"')]: '5x72',
  [own('request_refusals_total', 'code="svc_policy_check_unavailable"')]: '5x72',
  [name('nodejs_eventloop_lag_max_seconds')]: '0.05x72',
  [own('log_lines_lost_total')]: '0x72',
  [own('webhook_oldest_seconds')]: '1x72',
  [own('webhook_failures_total')]: '0+0x72',
  [own('webhook_dead_letters')]: '0x72',
};

/** Each outage begins after a minute. Unless told otherwise, its alerts must fire within 30 s. */
const outages: [what: string, series: Series, alerts: string[], at?: string][] = [
  ['the service is gone', { [name('up')]: becomes(1, 0) }, ['FacilitatorDown']],
  [
    'a check of readiness fails',
    { [own('check_ok', 'check="catalog"')]: becomes(1, 0) },
    ['FacilitatorNotReady'],
  ],
  [
    'the policy file is wrong',
    { [own('check_warning', 'check="policy"')]: becomes(0, 1) },
    ['FacilitatorPolicyFileWrong'],
  ],
  ['no RPC node answers', { [own('rpc_up')]: becomes(1, 0) }, ['FacilitatorRpcDown']],
  ...['resting', 'stale', 'foreign'].map((state): [string, Series, string[]] => [
    `a node is ${state}`,
    { [own('rpc_node_state', `node="http://a",state="${state}"`)]: becomes(0, 1) },
    ['FacilitatorRpcNodeUnfit'],
  ]),
  ['no ledger closes', { [own('ledger_lag_seconds')]: turns('4', '0+5') }, ['FacilitatorLedgerLag']],
  [
    'no channel account can be used',
    { [own('accounts', 'state="free"')]: becomes(2, 0) },
    ['FacilitatorNoChannelAccount'],
  ],
  ['the fee account is low', { [own('fee_bump_low')]: becomes(0, 1) }, ['FacilitatorFeeAccountLow']],
  ['an account is low', { [own('low_accounts')]: becomes(0, 1) }, ['FacilitatorBalanceLow']],
  [
    'an account does not exist',
    { [own('accounts', 'state="missing"')]: becomes(0, 1) },
    ['FacilitatorAccountMissing'],
  ],
  ['the line is half full', { [own('waiting_places')]: becomes(3, 1600) }, ['FacilitatorQueueLong']],
  ['the line is slow', { [own('waiting_oldest_seconds')]: becomes(4, 31) }, ['FacilitatorQueueLong']],
  [
    'settlements fail',
    { [own('settlements_total', 'outcome="error",code="unexpected_settle_error"')]: grows(10) },
    ['FacilitatorSettlementsFailing'],
  ],
  [
    'transactions fail on the ledger',
    { [own('transactions_total', 'outcome="failed"')]: grows(5) },
    ['FacilitatorTransactionsFailing'],
    '4m',
  ],
  [
    'the fee budget is nearly used up',
    { [own('fees_today_stroops', 'callers="all"')]: becomes(100, 801) },
    ['FacilitatorFeeBudgetNearlyUsedUp'],
  ],
  ['the journal fails', { [own('journal_faults_total')]: becomes(5, 6) }, ['FacilitatorJournalFailing']],
  ['a listing is not written', { [own('catalog_failing')]: becomes(0, 1) }, ['FacilitatorCatalogFailing']],
  [
    'the receiver of webhooks fails',
    { [own('webhook_oldest_seconds')]: becomes(1, 301), [own('webhook_failures_total')]: grows(1) },
    ['FacilitatorWebhooksFailing'],
  ],
  [
    'webhooks are given up',
    { [own('webhook_dead_letters')]: becomes(0, 1) },
    ['FacilitatorWebhookDeadLetters'],
  ],
  ['a thread is down', { [own('catalog_threads_up')]: becomes(1, 0) }, ['FacilitatorCatalogFailing']],
  [
    'requests are turned away',
    { [own('request_refusals_total', 'code="svc_overloaded"')]: turns('5', '6+1') },
    ['FacilitatorOverloaded'],
  ],
  [
    'the check is silent',
    { [own('request_refusals_total', 'code="svc_policy_check_unavailable"')]: turns('5', '6+1') },
    ['FacilitatorPolicyCheckSilent'],
  ],
  [
    'the event loop stands still',
    { [name('nodejs_eventloop_lag_max_seconds')]: becomes(0.05, 1.5) },
    ['FacilitatorEventLoopStalled'],
  ],
  ['log lines are lost', { [own('log_lines_lost_total')]: becomes(0, 3) }, ['FacilitatorLogLinesLost']],
];

test('each alert tells what is wrong and what to do', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(alert).toMatch(/^Facilitator[A-Z]/);
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary.length, alert).toBeGreaterThan(10);
    expect(annotations.description.length, alert).toBeGreaterThan(60);
  }
});

test('each alert has an outage that it is for', () => {
  const tested = new Set(outages.flatMap(([, , alerts]) => alerts));
  expect(rules.map(({ alert }) => alert).filter((alert) => !tested.has(alert))).toEqual([]);
});

describe.skipIf(promtool === undefined)('in Prometheus', () => {
  test('the rules are valid', () => {
    expect(runPromtool(['check', 'rules', RULES])).toContain(`${rules.length} rules found`);
  });

  test('nothing fires while all is well, with a fee budget or without', () => {
    expectFiring(HEALTHY, '4m', []);
    expectFiring(
      { ...HEALTHY, [own('fee_budget_stroops', 'callers="all"')]: Array(72).fill('Inf').join(' ') },
      '4m',
      [],
    );
  });

  test('an instance whose accounts others have is not told of', () => {
    const elsewhere = {
      [own('accounts', 'state="free"')]: '0x72',
      [own('accounts', 'state="elsewhere"')]: '2x72',
    };
    expectFiring({ ...HEALTHY, ...elsewhere }, '4m', []);
  });

  test.each(outages)('if %s, its alert fires, and no other', (_what, series, alerts, at = '90s') => {
    for (const changed of Object.keys(series)) expect(HEALTHY).toHaveProperty([changed]);
    expectFiring({ ...HEALTHY, ...series }, at, alerts);
  });
});
