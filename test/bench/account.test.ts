import { expect, test } from 'vitest';
import { account, type Sent } from '../../bench/burst/account.ts';
import type { AppliedTransaction, Ledger } from '../../bench/network.ts';

/** Ledgers 1, 2 and 3 close after one, two and three seconds. */
const ledgers: Ledger[] = [1, 2, 3].map((sequence) => ({ sequence, closedAtMs: sequence * 1000 }));

const settled = (hash: string, answeredAtMs: number): Sent => ({
  answer: { success: true, transaction: hash },
  sentAtMs: 0,
  answeredAtMs,
});
const refused = (errorReason: string, answeredAtMs: number): Sent => ({
  answer: { success: false, transaction: '', errorReason },
  sentAtMs: 0,
  answeredAtMs,
});
const applied = (hash: string, ledger: number, isSuccess = true): AppliedTransaction => ({
  hash,
  ledger,
  isSuccess,
  feeStroops: 500,
});

test('a place is counted for every submitter that a waiting payment could have used', () => {
  const sent = [settled('a', 1100), settled('b', 1100), settled('c', 3100)];
  const transactions = [applied('a', 1), applied('b', 1), applied('c', 3)];
  const burst = account(sent, { ledgers, transactions }, 2);
  // Two in the first ledger, then one of the last payment alone: once unused, once used.
  expect(burst).toMatchObject({ settled: 3, applied: 3, ledgers: 3, places: 2 + 1 + 1 });
});

test('a payment waits neither before it is sent nor after it is refused', () => {
  const late = { ...settled('a', 3100), sentAtMs: 2500 };
  const burst = account([late, refused('no lane', 1500)], { ledgers, transactions: [applied('a', 3)] }, 1);
  expect(burst).toMatchObject({ ledgers: 2, places: 2, refusals: { 'no lane': 1 } });
});

test('an answer is untrue where the ledger holds what was refused, or not what was settled', () => {
  const transactions = [applied('a', 1), applied('b', 1)];
  const sent = [settled('a', 1100), settled('c', 1100), refused('lost', 1200)];
  expect(account(sent, { ledgers, transactions }, 3).untrueAnswers).toBe(2);
});

test('fees of transactions that failed on the ledger are spent on failures', () => {
  const transactions = [applied('a', 1), applied('b', 1, false)];
  const burst = account([settled('a', 1100), refused('failed', 1100)], { ledgers, transactions }, 2);
  expect(burst).toMatchObject({ applied: 1, feesOfFailuresStroops: 500, untrueAnswers: 0 });
});

test('the longest wait is that of the payment that was answered last', () => {
  const burst = account(
    [settled('a', 1100), refused('x', 4000)],
    { ledgers, transactions: [applied('a', 1)] },
    1,
  );
  expect(burst.longestWaitSeconds).toBe(4);
});
