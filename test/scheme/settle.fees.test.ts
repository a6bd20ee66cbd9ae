import { afterEach, describe, expect, test } from 'vitest';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { CEILING_STROOPS } from '../support/service.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, settlement, sends } = settlementsOn(stage);

/** Stroops that were offered for inclusion. */
function offered(hash: string): bigint {
  const { tx } = settlement(hash);
  const resourceFee = tx.ext.type === 'sorobanData' ? tx.ext.sorobanData.resourceFee : 0n;
  return BigInt(tx.fee) - resourceFee;
}

/** What the network says that recent ledgers took. */
function recentFees(stroops: number): void {
  const sorobanInclusionFee = { p50: '100', p90: String(stroops), p99: String(10 * stroops) };
  stage.sandbox.faults.add({
    kind: 'rewrite',
    methods: ['getFeeStats'],
    rewrite: (_method, result) => ({ ...result, sorobanInclusionFee }),
  });
}

describe('the offer for inclusion', () => {
  afterEach(() => stage.sandbox.network.setBaseInclusionFee(100));

  test('is the ninetieth percentile of what recent ledgers took', async () => {
    recentFees(1_234);
    const { settle } = await stage.open();
    const payment = newPayment();
    expect(offered(expectSettled(await settle(payment.request), payment))).toBe(1_234n);
  });

  test('is never above what the operator allows', async () => {
    recentFees(1_000_000);
    const { settle } = await stage.open();
    const payment = newPayment();
    expect(offered(expectSettled(await settle(payment.request), payment))).toBe(10_000n);
  });

  test('leaves the whole fee under the ceiling', async () => {
    const [first, second] = [newPayment(), newPayment()];
    const usual = expectSettled(await stage.facilitator.settle(first.request), first);
    const maxTransactionFeeStroops = settlement(usual).tx.fee + 500;
    recentFees(10_000);
    const { settle } = await stage.open({ maxTransactionFeeStroops });
    const hash = expectSettled(await settle(second.request), second);
    expect(settlement(hash).tx.fee).toBe(maxTransactionFeeStroops);
  });

  test('is the least that the operator allows where the network does not say', async () => {
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['getFeeStats'] });
    const { settle } = await stage.open();
    const payment = newPayment();
    expect(offered(expectSettled(await settle(payment.request), payment))).toBe(100n);
  });

  test('is asked for once per ledger, however many payments there are', async () => {
    const { settle } = await stage.open({ submitters: [1, 2, 3, 4].map(() => stage.sandbox.submitter()) });
    stage.sandbox.stopLedgers();
    stage.sandbox.calls.reset();
    const payments = [1, 2, 3, 4].map(() => newPayment());
    const settled = payments.map(({ request }) => settle(request));
    await expect.poll(sends).toBe(4);
    expect(stage.sandbox.calls.counts()['getFeeStats'] ?? 0).toBeLessThanOrEqual(1);
    stage.sandbox.faults.clear();
    for (const [nth, answer] of (await Promise.all(settled)).entries()) expectSettled(answer, payments[nth]!);
  });
});

describe('under surge', () => {
  afterEach(() => stage.sandbox.network.setBaseInclusionFee(100));

  test('the offer rises to what the network asks, and the payment settles', async () => {
    const { settle } = await stage.open();
    // The statistics still tell of quiet ledgers.
    recentFees(100);
    stage.sandbox.network.setBaseInclusionFee(3_000);
    const payment = newPayment();
    const hash = expectSettled(await settle(payment.request), payment);
    expect(offered(hash)).toBeGreaterThanOrEqual(3_000n);
    // What is asked for in all includes the resources: it is not offered for the place.
    expect(offered(hash)).toBeLessThan(4_000n);
    expect(settlement(hash).tx.fee).toBeLessThanOrEqual(CEILING_STROOPS);
  });

  test('what offers most already waits for a ledger that takes it', async () => {
    const { settle } = await stage.open();
    recentFees(100);
    stage.sandbox.network.setBaseInclusionFee(60_000);
    const payment = newPayment();
    const settled = settle(payment.request);
    await expect.poll(sends).toBe(2);
    stage.sandbox.network.setBaseInclusionFee(100);
    expectSettled(await settled, payment);
  });

  test('beyond the ceiling the payment is refused, and nothing reaches the ledger', async () => {
    const { settle } = await stage.open();
    recentFees(100);
    stage.sandbox.network.setBaseInclusionFee(60_000);
    const payment = newPayment();
    expect(await settle(payment.request)).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_submission_failed',
      errorMessage: expect.stringContaining('txInsufficientFee'),
    });
    expect(stage.sandbox.usdc(payment.payTo)).toBe(0n);
  });

  test('what no ledger took in its time is signed anew once it never can be taken, and offers more', async () => {
    const limits = { minInclusionSeconds: 1, maxInclusionSeconds: 1, resendAfterLedgers: Infinity };
    const { settle, log } = await stage.open({ parts: { limits } });
    const payment = newPayment();
    // The network says that it has it, and drops it.
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'PENDING', times: 1 });
    expectSettled(await settle(payment.request), payment);
    const ends = log.filter(({ msg }) => msg === 'settlement ended');
    expect(ends).toMatchObject([{ status: 'never' }, { status: 'success' }]);
    const [dropped, settled] = ends.map(({ bidStroops }) => Number(bidStroops));
    expect(settled).toBeGreaterThan(dropped!);
  });
});
