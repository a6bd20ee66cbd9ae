import { describe, expect, test } from 'vitest';
import { SETTLE_LIMITS } from '../../src/scheme/limits.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, statusOf, sends } = settlementsOn(stage);

describe('a submission', () => {
  test.each([
    ['lost on its way back', { kind: 'lostAnswer' }],
    ['cut off on its way back', { kind: 'wrongJson' }],
    ["another request's answer", { kind: 'wrongId' }],
  ] as const)('whose answer is %s is looked up by its hash, and pays once', async (_what, fault) => {
    const payment = newPayment();
    stage.sandbox.faults.add({ ...fault, methods: ['sendTransaction'], times: 1 });
    const hash = expectSettled(await stage.facilitator.settle(payment.request), payment);
    // Once more at the most: where a ledger closed between simulation and submission.
    expect(sends()).toBeLessThan(3);
    expect(statusOf(hash)).toBe('SUCCESS');
  });

  test.each([
    ['status', undefined],
    ['status', 'DONE'],
    ['latestLedger', undefined],
    ['latestLedgerCloseTime', 0],
  ])('that is answered with the %s %s is looked up by its hash, and pays once', async (field, value) => {
    const payment = newPayment();
    const rewrite = (_method: string, result: object) => ({ ...result, [field]: value });
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['sendTransaction'], times: 1, rewrite });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(sends()).toBeLessThan(3);
  });

  test('that never arrived is sent again when a ledger has closed without it, and pays once', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 504, methods: ['sendTransaction'], times: 2 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(sends()).toBe(3);
  });

  test('that never arrived, and whose answers are all lost, is waited for and reported as never applied', async () => {
    const limits = {
      maxResends: 1,
      resendAfterMs: 20,
      minInclusionSeconds: 1,
      maxInclusionSeconds: 1,
      maxSignatures: 1,
    };
    const { settle } = await stage.open({ parts: { limits } });
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 504, methods: ['sendTransaction'] });
    const answer = await settle(payment.request);
    expect(answer).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('never will'),
    });
    expect(sends()).toBe(2);
    expect(stage.sandbox.usdc(payment.payTo)).toBe(0n);
  });

  test('refused after a lost answer counts as sent: only the ledger can tell', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['sendTransaction'], rewrite: refuseSecond() });
    // Long enough for a ledger to close without a word of it, so that it is sent once more.
    stage.sandbox.faults.add({ kind: 'notFound', times: 2 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(sends()).toBeGreaterThan(1);
  });

  test('is sent again while the network answers TRY_AGAIN_LATER', async () => {
    const { settle } = await stage.open({ parts: { limits: { resendAfterMs: 20 } } });
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER', times: 3 });
    expectSettled(await settle(payment.request), payment);
    expect(sends()).toBe(4);
  });

  test('that the network calls a DUPLICATE is on its way', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'repeat', methods: ['sendTransaction'] });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(sends()).toBe(1);
  });

  test('with a sequence number that was used elsewhere is signed anew with the next', async () => {
    const shared = stage.sandbox.submitter();
    const [one, other] = [
      await stage.open({ submitters: [shared] }),
      await stage.open({ submitters: [shared] }),
    ];
    const [first, second] = [newPayment(), newPayment()];
    expectSettled(await other.settle(first.request), first);
    stage.sandbox.calls.reset();
    expectSettled(await one.settle(second.request), second);
    expect(stage.sandbox.calls.counts()).toMatchObject({ sendTransaction: 2, getLedgerEntries: 1 });
  });

  test('that comes too late by its own time bound is signed anew with a later one', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txTooLate', times: 1 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(stage.sandbox.calls.counts()).toMatchObject({ sendTransaction: 2, simulateTransaction: 1 });
  });

  test('refused with txTooLate again and again is signed anew a bounded number of times', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txTooLate' });
    expect(await stage.facilitator.settle(payment.request)).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_submission_failed',
      errorMessage: expect.stringContaining('txTooLate'),
    });
    expect(sends()).toBe(SETTLE_LIMITS.maxSignatures);
  });

  test('refused with txBadSeq though its number is right counts as sent: that node is behind', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq', times: 2 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(sends()).toBe(3);
  });

  test('refused so for ever is waited for, and reported as never applied', async () => {
    const limits = { minInclusionSeconds: 1, maxInclusionSeconds: 1, maxSignatures: 1 };
    const { settle } = await stage.open({ parts: { limits } });
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq' });
    expect(await settle(newPayment().request)).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('never will'),
    });
  });

  test('that was refused leaves its submitter free for the next payment', async () => {
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'ERROR', result: 'txInternalError', times: 1 });
    expect(await stage.facilitator.settle(newPayment().request)).toMatchObject({ success: false });
    const next = newPayment();
    expectSettled(await stage.facilitator.settle(next.request), next);
  });
});

/** The first submission takes effect but its answer is unreadable; the second is refused. */
function refuseSecond(): (method: string, result: Record<string, unknown>) => unknown {
  let calls = 0;
  return (_method, result) => {
    calls += 1;
    return calls === 1 ? null : { ...result, status: 'ERROR' };
  };
}
