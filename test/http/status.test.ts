import { describe, expect, test } from 'vitest';
import type { SettlementStatus } from '../../src/contract/index.ts';
import { AMOUNT, requirementsFor, USDC } from '../support/payments.ts';
import { settlementsOn, type Payment } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { post } from './support.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, settlement } = settlementsOn(stage);

async function statusOf(body: object, { url } = stage.facilitator): Promise<SettlementStatus> {
  const answer = await post(`${url}/settlements/status`, JSON.stringify(body));
  expect(answer.status).toBe(200);
  return answer.body as SettlementStatus;
}

async function settle(payment: Payment): Promise<string> {
  return expectSettled(await stage.facilitator.settle(payment.request), payment);
}

describe('the status of a settlement', () => {
  test('names the transaction that paid, by the payment and by the hash, and asks no node', async () => {
    const payment = newPayment();
    const transaction = await settle(payment);
    const { ledger, feeCharged } = settlement(transaction);
    stage.sandbox.calls.reset();
    const told = {
      status: 'settled',
      transaction,
      ledger,
      amount: String(AMOUNT),
      asset: USDC,
      payer: payment.payer,
      payTo: payment.payTo,
      feeStroops: Number(feeCharged),
      closedAt: expect.any(String),
      sentAt: expect.any(String),
    };
    expect(await statusOf(payment.request)).toEqual(told);
    expect(await statusOf({ transaction })).toEqual(told);
    expect(stage.sandbox.calls.counts()).not.toHaveProperty('simulateTransaction');
    expect(stage.sandbox.calls.counts()).not.toHaveProperty('getTransaction');
  });

  test('is unknown for a payment that was only verified, or refused before anything was sent', async () => {
    const payment = newPayment();
    await stage.facilitator.verify(payment.request);
    expect(await statusOf(payment.request)).toEqual({ status: 'unknown' });
    const poor = newPayment({ key: stage.sandbox.account(0n) });
    expect(await stage.facilitator.settle(poor.request)).toMatchObject({ success: false });
    expect(await statusOf(poor.request)).toEqual({ status: 'unknown' });
  });

  test('is unknown at another service', async () => {
    const payment = newPayment();
    const transaction = await settle(payment);
    const other = await stage.open();
    expect(await statusOf(payment.request, other)).toEqual({ status: 'unknown' });
    expect(await statusOf({ transaction }, other)).toEqual({ status: 'unknown' });
  });

  test('is unknown for terms that the payment does not fit, and for what is no payment', async () => {
    const payment = newPayment();
    await settle(payment);
    const { paymentPayload } = payment.request;
    const paymentRequirements = requirementsFor(stage.sandbox.account(0n).publicKey());
    expect(await statusOf({ paymentPayload, paymentRequirements })).toEqual({ status: 'unknown' });
    const unreadable = { ...payment.request, paymentPayload: { x402Version: 2, payload: 7 } };
    expect(await statusOf(unreadable)).toEqual({ status: 'unknown' });
  });

  test('is pending while the payment waits for the ledger', async () => {
    const payment = newPayment();
    stage.sandbox.faults.clear();
    const settling = stage.facilitator.settle(payment.request);
    await expect.poll(() => statusOf(payment.request)).toMatchObject({ status: 'pending' });
    expect(await settling).toMatchObject({ success: true });
    expect(await statusOf(payment.request)).toMatchObject({ status: 'settled' });
  });
});

test.each<[string, unknown, string]>([
  ['nothing', {}, 'paymentPayload is missing.'],
  ['a payment without terms', { paymentPayload: { x402Version: 2 } }, 'paymentRequirements is missing.'],
  ['a hash that is none', { transaction: 'A'.repeat(64) }, 'transaction must match'],
])('a question about %s is refused', async (_what, body, reason) => {
  const answer = await post(`${stage.facilitator.url}/settlements/status`, JSON.stringify(body));
  expect(answer).toMatchObject({
    status: 400,
    body: { error: { code: 'svc_malformed_request_body', reason: expect.stringContaining(reason) } },
  });
});
