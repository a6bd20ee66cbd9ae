import {
  declarePaymentIdentifierExtension,
  generatePaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier';
import { expect, test } from 'vitest';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import {
  AMOUNT,
  MAX_TIMEOUT_SECONDS,
  requestFor,
  requirementsFor,
  signTransfer,
} from '../support/payments.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { post, type Answer } from './support.ts';

const stage = useStage({ withFeeBump: false });
const { sends } = settlementsOn(stage);
const shop = (): string => stage.sandbox.account(0n).publicKey();

/** A payment that its buyer has named, with the stock extension. */
function namedPayment(id: string, payTo = shop()): FacilitatorRequest {
  const { sandbox } = stage;
  const requirements = requirementsFor(payTo);
  const expiration = sandbox.expirationIn(MAX_TIMEOUT_SECONDS);
  const terms = { key: sandbox.account(), requirements, expiration, nonce: sandbox.nonce() };
  const request = requestFor(requirements, signTransfer(terms));
  const { info, schema } = declarePaymentIdentifierExtension();
  const extensions = { [PAYMENT_IDENTIFIER]: { info: { ...info, id }, schema } };
  const paymentPayload: object = { ...request.paymentPayload, extensions };
  return { ...request, paymentPayload } as FacilitatorRequest;
}
const settle = (request: FacilitatorRequest): Promise<Answer> =>
  post(`${stage.facilitator.url}/settle`, JSON.stringify(request));
const statusOf = async (request: FacilitatorRequest): Promise<unknown> =>
  (await post(`${stage.facilitator.url}/settlements/status`, JSON.stringify(request))).body;

const REPLAYED = 'invalid_exact_stellar_payload_simulation_failed';

test('a second payment to a recipient under one payment-identifier gets 409, and is not sent', async () => {
  const [id, payTo] = [generatePaymentId(), shop()];
  expect((await settle(namedPayment(id, payTo))).body).toMatchObject({ success: true });
  stage.sandbox.calls.reset();
  expect(await settle(namedPayment(id, payTo))).toMatchObject({
    status: 409,
    body: { success: false, errorReason: 'svc_payment_identifier_conflict' },
  });
  expect(sends()).toBe(0);
  expect(stage.sandbox.usdc(payTo)).toBe(AMOUNT);
});

test('a payment-identifier does not make a replay succeed', async () => {
  const payment = namedPayment(generatePaymentId());
  expect((await settle(payment)).body).toMatchObject({ success: true });
  expect((await settle(payment)).body).toMatchObject({ success: false, errorReason: REPLAYED });
});

test('another recipient may be paid under the same payment-identifier', async () => {
  const id = generatePaymentId();
  for (const payment of [namedPayment(id), namedPayment(id)])
    expect((await settle(payment)).body).toMatchObject({ success: true });
});

test('the status of a settlement shows its payment-identifier', async () => {
  const id = generatePaymentId();
  const payment = namedPayment(id);
  await settle(payment);
  expect(await statusOf(payment)).toMatchObject({ status: 'settled', paymentIdentifier: id });
});

test.each([
  ['is too short', 'p'.repeat(15)],
  ['is too long', 'p'.repeat(129)],
  ['has other characters', 'pay_7d5d747be160 e280'],
])('an id that %s names nothing', async (_what, id) => {
  const payTo = shop();
  for (const payment of [namedPayment(id, payTo), namedPayment(id, payTo)])
    expect((await settle(payment)).body).toMatchObject({ success: true });
  expect(stage.sandbox.usdc(payTo)).toBe(2n * AMOUNT);
});
