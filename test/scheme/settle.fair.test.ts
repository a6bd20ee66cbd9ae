import type { Keypair } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import type { SettleResponse } from '../../src/contract/index.ts';
import { AMOUNT, requestFor, requirementsFor } from '../support/payments.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, sends, sent, statusOf } = settlementsOn(stage);

const submitters = (count: number) => Array.from({ length: count }, () => stage.sandbox.submitter());
const close = () => stage.sandbox.network.closeLedger();
const codesOf = (answers: readonly SettleResponse[]) =>
  answers.map(({ errorReason }) => errorReason ?? 'settled');

/** A payment of zero from an account to itself. */
function pointless(key: Keypair) {
  const requirements = { ...requirementsFor(key.publicKey()), amount: '0' };
  return requestFor(requirements, newPayment({ key, requirements }).transaction);
}

describe('waiting is fair', () => {
  test('an honest single payment is in the next ledger but one, however many one sender has queued', async () => {
    const { settle } = await stage.open({ submitters: submitters(1) });
    stage.sandbox.stopLedgers();
    const attacker = stage.sandbox.account();
    const flood = Array.from({ length: 6 }, () => settle(pointless(attacker)));
    await sent(1);
    const honest = newPayment();
    const settled = settle(honest.request);
    await new Promise((resolve) => setTimeout(resolve, 500));
    close();
    await sent(2);
    close();
    expect(await settled).toMatchObject({ success: true });
    stage.sandbox.faults.clear();
    await Promise.all(flood);
  });

  test('of one payer, and of one recipient, no more than a tenth of what may wait waits', async () => {
    const limits = { maxWaitingPayments: 20, maxWaitingPaymentsPerParty: 2 };
    const { settle } = await stage.open({ submitters: submitters(1), parts: { limits } });
    stage.sandbox.stopLedgers();
    const attacker = stage.sandbox.account();
    const flood = Array.from({ length: 6 }, () => settle(pointless(attacker)));
    const refused = await Promise.race(flood);
    expect(refused).toMatchObject({
      errorReason: 'settle_exact_stellar_signer_selection_failed',
      errorMessage: expect.stringMatching(/for one payer or recipient/),
    });
    stage.sandbox.faults.clear();
    expect(codesOf(await Promise.all(flood)).filter((code) => code === 'settled')).toHaveLength(3);
  });
});

describe('one payer and asset has in flight at most what its balance covers', () => {
  test('of ten authorizations with money for one, one is sent, and none fails on the ledger', async () => {
    const { settle, log } = await stage.open({ submitters: submitters(10) });
    const key = stage.sandbox.account(AMOUNT);
    const payments = Array.from({ length: 10 }, () => newPayment({ key }));
    const answers = await Promise.all(payments.map(({ request }) => settle(request)));
    expect(codesOf(answers).sort()).toEqual([
      ...Array.from({ length: 9 }, () => 'invalid_exact_stellar_payload_simulation_failed'),
      'settled',
    ]);
    expect(sends()).toBe(1);
    expect(log.filter(({ msg }) => msg === 'settlement ended')).toHaveLength(1);
  });

  test('a payer with money for all has all in one ledger', async () => {
    const { settle } = await stage.open({ submitters: submitters(5) });
    stage.sandbox.stopLedgers();
    const key = stage.sandbox.account(5n * AMOUNT);
    const answers = Promise.all(Array.from({ length: 5 }, () => settle(newPayment({ key }).request)));
    await sent(5);
    close();
    expect(codesOf(await answers)).toEqual(Array.from({ length: 5 }, () => 'settled'));
  });

  test('where nobody tells the balance, its payments go one at a time', async () => {
    const { settle } = await stage.open({ submitters: submitters(3) });
    stage.sandbox.stopLedgers();
    const key = stage.sandbox.account();
    const first = settle(newPayment({ key }).request);
    await sent(1);
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['simulateTransaction'],
      rewrite: (_method, { results: _, ...others }) => others,
    });
    const second = settle(newPayment({ key }).request);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sends()).toBe(1);
    stage.sandbox.faults.clear();
    expect(await first).toMatchObject({ success: true });
    expect(await second).toMatchObject({ success: true });
  });
});

describe('a payer whose settlements fail on the ledger costs little', () => {
  const SERIAL = 2;
  const REFUSED = 4;
  const failures = { serialAfterFailures: SERIAL, refusedAfterFailures: REFUSED };

  /** Has a payment fail: its payer spends the money before the ledger closes. */
  async function fail(
    settle: (request: never) => Promise<SettleResponse>,
    key: Keypair,
  ): Promise<SettleResponse> {
    stage.sandbox.network.mint(key.publicKey(), AMOUNT);
    const before = sends();
    const answer = settle(newPayment({ key }).request as never);
    await sent(before + 1);
    stage.sandbox.network.burn(key.publicKey(), AMOUNT);
    close();
    return answer;
  }

  test('after some failures its settlements go one at a time, after more none does, and the text says so', async () => {
    const { settle, verify } = await stage.open({ submitters: submitters(3), parts: { failures } });
    stage.sandbox.stopLedgers();
    const key = stage.sandbox.account(0n);
    for (let failures = 0; failures < SERIAL; failures++)
      expect(await fail(settle, key)).toMatchObject({
        errorReason: 'settle_exact_stellar_transaction_failed',
      });

    stage.sandbox.network.mint(key.publicKey(), 3n * AMOUNT);
    const before = sends();
    const three = Promise.all(Array.from({ length: 3 }, () => settle(newPayment({ key }).request)));
    await sent(before + 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(sends()).toBe(before + 1);
    stage.sandbox.faults.clear();
    expect(codesOf(await three)).toEqual(['settled', 'settled', 'settled']);
    stage.sandbox.stopLedgers();

    for (let failures = SERIAL; failures < REFUSED; failures++) await fail(settle, key);
    stage.sandbox.network.mint(key.publicKey(), AMOUNT);
    const text = /4 settlements of G\w+ failed on the ledger within the last hour/;
    expect(await settle(newPayment({ key }).request)).toMatchObject({
      errorReason: 'svc_policy_failing_payer',
      errorMessage: expect.stringMatching(text),
      payer: key.publicKey(),
    });
    expect(await verify(newPayment({ key }).request)).toMatchObject({
      isValid: false,
      invalidReason: 'svc_policy_failing_payer',
      invalidMessage: expect.stringMatching(text),
    });
    const other = newPayment();
    const settled = settle(other.request);
    await sent(sends() + 1);
    close();
    expect(await settled).toMatchObject({ success: true });
  });

  test('those that wait when the last allowed one fails are refused, and cost nothing', async () => {
    const { settle } = await stage.open({
      submitters: submitters(1),
      parts: { failures: { serialAfterFailures: 1, refusedAfterFailures: 1 } },
    });
    stage.sandbox.stopLedgers();
    const key = stage.sandbox.account(3n * AMOUNT);
    const answers = [1, 2, 3].map(() => settle(newPayment({ key }).request));
    await sent(1);
    stage.sandbox.network.burn(key.publicKey(), 3n * AMOUNT);
    close();
    stage.sandbox.network.mint(key.publicKey(), 3n * AMOUNT);
    expect(codesOf(await Promise.all(answers)).sort()).toEqual([
      'settle_exact_stellar_transaction_failed',
      'svc_policy_failing_payer',
      'svc_policy_failing_payer',
    ]);
    expect(sends()).toBe(1);
    expect(statusOf((await answers[0]!).extra?.['transaction'] as string)).toBe('FAILED');
  });
});

describe('verifying takes nothing from settling', () => {
  test('a settlement is sent while as many verifications hang as may', async () => {
    const { settle, verify } = await stage.open({ rpcLimits: { maxConnections: 2, answerTimeoutMs: 3_000 } });
    stage.sandbox.faults.add({ kind: 'hang', methods: ['simulateTransaction'], times: 2 });
    let isAnswered = false;
    const hanging = Array.from({ length: 4 }, () =>
      verify(newPayment().request).finally(() => (isAnswered = true)),
    );
    await expect
      .poll(() => stage.sandbox.calls.counts()['simulateTransaction'] ?? 0)
      .toBeGreaterThanOrEqual(2);
    const payment = newPayment();
    expect(await settle(payment.request)).toMatchObject({ success: true });
    expect(isAnswered).toBe(false);
    stage.sandbox.faults.clear();
    await Promise.all(hanging);
  });
});

describe('of settlements that wait to be verified', () => {
  test('one that was verified before it was delivered comes before all forged ones', async () => {
    const { settle, verify } = await stage.open({ parts: { limits: { maxVerifiedAtOnce: 1 } } });
    const honest = newPayment();
    expect(await verify(honest.request)).toMatchObject({ isValid: true });
    stage.sandbox.faults.add({ kind: 'delay', ms: 300, methods: ['simulateTransaction'] });
    let forgeriesAnswered = 0;
    const forged = Array.from({ length: 20 }, async () => {
      const answer = await settle(newPayment({ key: stage.sandbox.keyWithoutAccount() }).request);
      forgeriesAnswered += 1;
      return answer;
    });
    await expect
      .poll(() => stage.sandbox.calls.counts()['simulateTransaction'] ?? 0)
      .toBeGreaterThanOrEqual(2);
    expect(await settle(honest.request)).toMatchObject({ success: true });
    expect(forgeriesAnswered).toBeLessThan(15);
    stage.sandbox.faults.clear();
    expect(new Set(codesOf(await Promise.all(forged)))).toEqual(
      new Set(['invalid_exact_stellar_payload_simulation_failed']),
    );
  });
});
