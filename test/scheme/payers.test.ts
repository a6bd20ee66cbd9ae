import { UNLIMITED_BUDGET } from '../../src/scheme/index.ts';
import { describe, expect, test } from 'vitest';
import { createPayers } from '../../src/scheme/settle/payers.ts';
import type { Rpc } from '../../src/stellar/rpc/pool.ts';
import { silent } from '../support/service.ts';
import { openJournal } from '../../src/journal/index.ts';
import { recover } from '../../src/scheme/settle/recovery.ts';
import { UNOBSERVED } from '../../src/scheme/observer.ts';
import { recordOutcome } from '../../src/scheme/settle/send.ts';
import type { PendingPayment } from '../../src/scheme/payment.ts';
import { ASKED } from '../journal/entries.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Of the defaults. */
const SERIAL = 3;
const REFUSED = 10;

const payment: PendingPayment = {
  transaction: '',
  payer: 'CPAYER',
  party: 'CPAYER',
  payTo: 'GSELLER',
  recipient: 'GSELLER',
  asset: 'CASSET',
  amount: 0n,
  maxTimeoutSeconds: 60,
  authorization: '',
  lastLedger: 0,
  listing: undefined,
  sender: undefined,
  requestId: undefined,
  resource: undefined,
  budget: UNLIMITED_BUDGET,
};

/** Payers on a clock of the test’s own, none of whom ever lacks money. */
function openPayers() {
  let nowMs = 0;
  const unasked = () => Promise.reject(new Error('nobody is asked here'));
  const payers = createPayers({
    rpc: { call: unasked } as unknown as Rpc,
    clock: { latestLedger: () => 0 },
    now: () => nowMs,
    failures: { serialAfterFailures: SERIAL, refusedAfterFailures: REFUSED },
    onMeansKnown: () => {},
    onFault: () => {},
  });
  return { payers, pass: (ms: number) => void (nowMs += ms), now: () => nowMs };
}

describe('what one payer can burn in any hour', () => {
  test.each([1, 3, 10, 50])(
    'with %i submitters: as many failures as are allowed, or as there are submitters if those are more',
    (submitters) => {
      const { payers, pass, now } = openPayers();
      const failedAt: number[] = [];
      // Each ledger it has as many in flight as it may, in assets enough, and all of them fail.
      for (; now() < DAY_MS; pass(MINUTE_MS)) {
        const started: PendingPayment[] = [];
        for (let lane = 0; lane < submitters; lane++) {
          const next = { ...payment, asset: `asset ${lane}` };
          if (payers.refusal(next.payer) !== undefined || !payers.mayStart(next)) break;
          payers.start(next);
          started.push(next);
        }
        for (const each of started) {
          payers.failed(each.payer);
          payers.end(each);
          failedAt.push(now());
        }
      }
      const inHourFrom = (from: number) => failedAt.filter((at) => at >= from && at < from + HOUR_MS).length;
      const most = Math.max(...failedAt.map(inHourFrom));
      expect(most).toBe(Math.max(REFUSED, submitters));
      expect(failedAt.length).toBeLessThanOrEqual(24 * Math.max(REFUSED, submitters));
    },
  );
});

test('an hour after its failures a payer is as any other', () => {
  const { payers, pass } = openPayers();
  for (let failures = 0; failures < REFUSED; failures++) payers.failed('CPAYER');
  expect(payers.refusal('CPAYER')).toMatchObject({ code: 'svc_policy_failing_payer' });
  expect(payers.refusal('another')).toBeUndefined();
  pass(HOUR_MS);
  expect(payers.refusal('CPAYER')).toBeUndefined();
  payers.start(payment);
  expect(payers.mayStart({ ...payment, asset: 'another' })).toBe(true);
});

test('while something of an earlier process is in flight, nothing of its payer starts', () => {
  const { payers } = openPayers();
  const letGo = [payers.hold('CPAYER'), payers.hold('CPAYER')];
  expect(payers.mayStart(payment)).toBe(false);
  letGo[0]!();
  expect(payers.mayStart(payment)).toBe(false);
  letGo[1]!();
  expect(payers.mayStart(payment)).toBe(true);
});

test('a failure counts when it is learned, also when it is learned late, and after a restart', async () => {
  const failures: string[] = [];
  const journal = openJournal({ path: ':memory:', log: silent });
  const payers = { ...openPayers().payers, failed: (payer: string) => void failures.push(payer) };
  const sent = { validity: { maxTimeSeconds: 1, lastLedger: 1 }, sentInLedger: 1 };
  const entry = {
    ...ASKED,
    hash: 'ab'.repeat(32),
    listing: undefined,
    isStellarAsset: true,
    payer: 'CPAYER',
    party: 'CPAYER',
    authorization: 'CPAYER:1',
    submitter: 'GSUBMITTER',
    sequence: 1n,
    bid: { inclusionStroops: 1, totalStroops: 1 },
    budget: UNLIMITED_BUDGET,
    sent,
  };
  const failed = {
    state: 'failed',
    ledger: 1,
    closedAtSeconds: 1,
    feeChargedStroops: 1,
    result: 'txFailed',
  } as const;
  journal.open(entry);
  recordOutcome({ journal, payers, observer: UNOBSERVED }, entry.hash, entry.party, { state: 'expired' });
  expect(failures).toEqual([]);
  recordOutcome({ journal, payers, observer: UNOBSERVED }, entry.hash, entry.party, failed);
  expect(failures).toEqual(['CPAYER']);
  await recover({ journal, payers } as unknown as Parameters<typeof recover>[0]);
  expect(failures).toEqual(['CPAYER', 'CPAYER']);
  journal.end();
});
