import { describe, expect, test } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { AMOUNT, NETWORK } from '../support/payments.ts';
import { openFacilitator } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, statusOf, sends, sent } = settlementsOn(stage);

const looks = () => stage.sandbox.calls.counts()['getTransaction'] ?? 0;

describe('the end of a settlement', () => {
  test('a transaction that fails on the ledger: no hash in transaction, but in extra and the message', async () => {
    const { settle } = await stage.open();
    const key = stage.sandbox.account(AMOUNT);
    stage.sandbox.stopLedgers();
    const answer = settle(newPayment({ key }).request);
    await sent(1);
    stage.sandbox.network.burn(key.publicKey(), AMOUNT);
    stage.sandbox.network.closeLedger();
    const failed = await answer;
    const hash = String(failed.extra?.['transaction']);
    expect(failed).toEqual({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining(hash),
      transaction: '',
      network: NETWORK,
      payer: key.publicKey(),
      extra: { transaction: hash },
    });
    expect(statusOf(hash)).toBe('FAILED');
    expect(stage.sandbox.usdc(key.publicKey())).toBe(0n);

    // It has used its sequence number all the same.
    stage.sandbox.faults.clear();
    stage.sandbox.calls.reset();
    const next = newPayment();
    expectSettled(await settle(next.request), next);
    expect(sends()).toBe(1);
  });

  test('a transaction that no ledger takes is not given up before it never can be taken', async () => {
    const bounds = { minInclusionSeconds: 1, maxInclusionSeconds: 1, maxSignatures: 1 };
    const limits = { ...bounds, resendAfterLedgers: Infinity };
    const { settle } = await stage.open({ parts: { limits } });
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'sendStatus', status: 'PENDING', times: 1 });
    const answer = await settle(payment.request);
    const hash = String(answer.extra?.['transaction']);
    expect(answer).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining(`${hash} was sent, but no ledger took it`),
      transaction: '',
    });
    expect(statusOf(hash)).toBe('NOT_FOUND');
    // Its sequence number is free again.
    stage.sandbox.calls.reset();
    expectSettled(await settle(payment.request), payment);
    expect(sends()).toBe(1);
  });

  test('an end that comes after the answer was due is waited for, and frees the submitter', async () => {
    const { settle } = await stage.open({ parts: { limits: { answerWithinMs: 2_000 } } });
    const payment = newPayment();
    stage.sandbox.stopLedgers();
    const answer = await settle(payment.request);
    expect(answer).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('not known yet'),
      transaction: '',
    });
    stage.sandbox.faults.clear();
    await expect.poll(() => stage.sandbox.usdc(payment.payTo)).toBe(AMOUNT);
    expect(statusOf(String(answer.extra?.['transaction']))).toBe('SUCCESS');
    await expect
      .poll(async () => (await settle(payment.request)).errorReason)
      .toBe('invalid_exact_stellar_payload_simulation_failed');
    const next = newPayment();
    await settle(next.request);
    await expect.poll(() => stage.sandbox.usdc(next.payTo), { timeout: 10_000 }).toBe(AMOUNT);
  });

  test('a payment of which nothing was sent when the answer was due is not sent afterwards', async () => {
    const { settle, log } = await stage.open({ parts: { limits: { answerWithinMs: 100 } } });
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'delay', ms: 400, methods: ['simulateTransaction'], times: 1 });
    expect(await settle(payment.request)).toMatchObject({
      errorReason: 'unexpected_settle_error',
      errorMessage: expect.stringContaining('nothing was sent'),
    });
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect({
      sends: sends(),
      paid: stage.sandbox.usdc(payment.payTo),
      log: log.map(({ msg }) => msg),
    }).toMatchObject({
      sends: 0,
      paid: 0n,
    });
  });

  test('one answer that its time has passed is not believed: it may have been put together across a ledger', async () => {
    const limits = { minInclusionSeconds: 1, maxInclusionSeconds: 1 };
    const { settle } = await stage.open({ parts: { limits } });
    const payment = newPayment();
    stage.sandbox.faults.add({
      kind: 'rewrite',
      methods: ['getTransaction'],
      times: 1,
      rewrite: (_method, result) => ({
        status: 'NOT_FOUND',
        latestLedger: result['latestLedger'],
        latestLedgerCloseTime: String(Number(result['latestLedgerCloseTime']) + 3),
        oldestLedger: result['oldestLedger'],
        oldestLedgerCloseTime: result['oldestLedgerCloseTime'],
      }),
    });
    expectSettled(await settle(payment.request), payment);
  });

  const resultXdrs = [
    ['no', undefined],
    ['a null', null],
    ['an unreadable', 'AAAA'],
    ['a numeric', 7],
  ] as const;

  test.each(resultXdrs)('SUCCESS with %s resultXdr is a success', async (_what, resultXdr) => {
    const payment = newPayment();
    stage.sandbox.faults.add(resultOf({ resultXdr }));
    expectSettled(await stage.facilitator.settle(payment.request), payment);
  });

  test.each(resultXdrs)('FAILED with %s resultXdr is a failure', async (_what, resultXdr) => {
    const { settle } = await stage.open();
    stage.sandbox.faults.add(resultOf({ status: 'FAILED', resultXdr }));
    expect(await settle(newPayment().request)).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('no result given'),
      extra: { transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test.each([
    ['status', 'DONE'],
    ['status', undefined],
    ['latestLedger', undefined],
    ['latestLedgerCloseTime', ''],
    ['oldestLedger', '1'],
    ['oldestLedgerCloseTime', undefined],
  ])('an answer with the %s %s is no end: it is asked again', async (field, value) => {
    const payment = newPayment();
    const rewrite = (_method: string, result: object) => ({ ...result, [field]: value });
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['getTransaction'], times: 2, rewrite });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    expect(looks()).toBeGreaterThan(2);
  });

  test('answers without sense are not asked for in a hot loop', async () => {
    const { settle } = await stage.open({ parts: { limits: { answerWithinMs: 500 } } });
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'rewrite', methods: ['getTransaction'], rewrite: () => ({}) });
    stage.sandbox.calls.reset();
    expect(await settle(payment.request)).toMatchObject({ success: false });
    // Half a second of looks that are 50 ms apart and ever more.
    expect(looks()).toBeLessThan(10);
    stage.sandbox.faults.clear();
    await expect.poll(() => stage.sandbox.usdc(payment.payTo)).toBe(AMOUNT);
  });

  test('results that the RPC is slow to know are waited for', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'notFound', times: 2 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
  });

  test('an RPC that fails while the result is awaited is asked again', async () => {
    const payment = newPayment();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 500, methods: ['getTransaction'], times: 2 });
    expectSettled(await stage.facilitator.settle(payment.request), payment);
  });
});

/** Changes what the RPC says about a transaction that a ledger holds. */
function resultOf(changes: object): Fault {
  const rewrite = (_method: string, result: Record<string, unknown>) =>
    result['status'] === 'SUCCESS' ? { ...result, ...changes } : result;
  return { kind: 'rewrite', methods: ['getTransaction'], rewrite };
}

describe('closing the service', () => {
  test('lets a settlement under way end and answers it', async () => {
    const { settle, close } = await openFacilitator({
      rpcUrl: stage.sandbox.url,
      submitters: [stage.sandbox.submitter()],
    });
    const payment = newPayment();
    stage.sandbox.stopLedgers();
    const answer = settle(payment.request);
    await sent(1);
    const closed = close();
    stage.sandbox.faults.clear();
    expectSettled(await answer, payment);
    await closed;
  });

  test('waits no longer than its limit for a ledger that does not close', async () => {
    const limits = { answerWithinMs: 200, drainMs: 200 };
    const { settle, close } = await openFacilitator({
      rpcUrl: stage.sandbox.url,
      submitters: [stage.sandbox.submitter()],
      parts: { limits },
    });
    stage.sandbox.stopLedgers();
    expect(await settle(newPayment().request)).toMatchObject({ success: false });
    await close();
  });
});

describe('the line of a settlement', () => {
  test('has the facts of its record', async () => {
    const { settle, log } = await stage.open();
    const { request, payer } = newPayment();
    const { transaction } = await settle(request);
    const { amount, asset, payTo } = request.paymentRequirements;
    const settledLine = log.find(({ msg }) => msg === 'settlement ended');
    const { requestId } = log.find(({ msg }) => msg === 'request')!;
    expect(settledLine).toMatchObject({
      transaction,
      status: 'success',
      amount,
      asset,
      payer,
      payTo,
      resource: 'https://seller.test/weather',
      caller: 'anonymous',
      requestId,
      ledger: expect.any(Number),
      closedAtSeconds: expect.any(Number),
      feeChargedStroops: expect.any(Number),
      bidStroops: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(settledLine).not.toHaveProperty('code');
  });

  test('has code and message if it did not pay', async () => {
    const { settle, log } = await stage.open();
    const key = stage.sandbox.account(AMOUNT);
    stage.sandbox.stopLedgers();
    const answer = settle(newPayment({ key }).request);
    await sent(1);
    stage.sandbox.network.burn(key.publicKey(), AMOUNT);
    stage.sandbox.network.closeLedger();
    const { errorReason: code, errorMessage: message } = await answer;
    expect(log.find(({ msg }) => msg === 'settlement ended')).toMatchObject({
      status: 'failed',
      code,
      message,
    });
  });
});
