import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FacilitatorRequest, SettleResponse } from '../../src/contract/index.ts';
import { openJournal } from '../../src/journal/index.ts';
import { bearer, makeKey, STORES, type StoreOfKeys } from '../callers/stores.ts';
import { bazaar } from '../catalog/settledPayments.ts';
import { catalogDouble } from '../support/catalogDouble.ts';
import { AMOUNT } from '../support/payments.ts';
import { silent, type Facilitator } from '../support/service.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';
import { JSON_TYPE, post } from './support.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, sends, sent } = settlementsOn(stage);

interface Settled {
  status: number;
  headers: Record<string, string>;
  body: SettleResponse;
}

/** Headers other than the key, if there are any. */
type Headers = Record<string, string>;

async function settle(
  { url }: Facilitator,
  request: FacilitatorRequest,
  key?: string,
  headers: Headers = {},
): Promise<Settled> {
  const named = key === undefined ? {} : { 'idempotency-key': key };
  const body = JSON.stringify(request);
  return (await post(`${url}/settle`, body, { ...JSON_TYPE, ...named, ...headers })) as Settled;
}

const bytesOf = ({ status, body, headers }: Settled): string =>
  JSON.stringify([status, body, headers['extension-responses']]);

const REPLAYED = 'invalid_exact_stellar_payload_simulation_failed';

describe.each(STORES)('with the journal in %s,', (_name, openStore) => {
  const open = async (): Promise<Facilitator> => stage.open((await openStore()).options);

  test('the same key and body get the same answer, and the network is not asked', async () => {
    const service = await open();
    const payment = newPayment();
    const key = randomUUID();
    const first = await settle(service, payment.request, key);
    expectSettled(first.body, payment);
    stage.sandbox.calls.reset();
    const { paymentPayload, ...others } = payment.request;
    const again = await settle(service, { ...others, paymentPayload }, key);
    expect(bytesOf(again)).toBe(bytesOf(first));
    expect(stage.sandbox.calls.counts()).not.toHaveProperty('simulateTransaction');
  });

  test('the next process and another instance give the same answer', async () => {
    const { options } = await openStore();
    const submitters = [stage.sandbox.submitter()];
    const service = await stage.open({ ...options, submitters });
    const payment = newPayment();
    const key = randomUUID();
    const first = await settle(service, payment.request, key);
    expectSettled(first.body, payment);
    if (options.databaseUrl === undefined) await service.close();
    const other = await stage.open({ ...options, submitters });
    expect(bytesOf(await settle(other, payment.request, key))).toBe(bytesOf(first));
  });

  test('a key with another body is refused, and nothing is sent', async () => {
    const service = await open();
    const key = randomUUID();
    expectSettledAt(await settle(service, newPayment().request, key));
    stage.sandbox.calls.reset();
    const other = await settle(service, newPayment().request, key);
    expect(other).toMatchObject({ status: 422, body: { errorReason: 'svc_idempotency_key_reused' } });
    expect(sends()).toBe(0);
  });

  test('a failure on the ledger stays the answer, although the payment could settle now', async () => {
    const service = await open();
    const buyer = stage.sandbox.account(AMOUNT);
    const { request } = newPayment({ key: buyer });
    const key = randomUUID();
    stage.sandbox.stopLedgers();
    const failing = settle(service, request, key);
    await sent(1);
    stage.sandbox.network.burn(buyer.publicKey(), AMOUNT);
    stage.sandbox.network.closeLedger();
    const first = await failing;
    expect(first.body).toMatchObject({ errorReason: 'settle_exact_stellar_transaction_failed' });
    stage.sandbox.faults.clear();
    stage.sandbox.network.mint(buyer.publicKey(), AMOUNT);
    expect(bytesOf(await settle(service, request, key))).toBe(bytesOf(first));
    expect(sends()).toBe(1);
  });

  test('after a refusal that came before anything was sent, the same request settles', async () => {
    const service = await open();
    const payment = newPayment();
    const key = randomUUID();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 502, methods: ['simulateTransaction'] });
    expect((await settle(service, payment.request, key)).body).toMatchObject({ success: false });
    stage.sandbox.faults.clear();
    expectSettled((await settle(service, payment.request, key)).body, payment);
  });

  test('a payment that settled without a key is refused under any', async () => {
    const service = await open();
    const payment = newPayment();
    const transaction = expectSettled((await settle(service, payment.request)).body, payment);
    for (let nth = 0; nth < 2; nth += 1) {
      const { body } = await settle(service, payment.request, 'any');
      expect(body).toMatchObject({ errorReason: REPLAYED, extra: { transaction } });
    }
  });

  test('a payment that settled under a key is refused without it, and under another', async () => {
    const service = await open();
    const { request } = newPayment();
    expectSettledAt(await settle(service, request, 'one'));
    for (const key of [undefined, 'another'])
      expect((await settle(service, request, key)).body).toMatchObject({ errorReason: REPLAYED });
  });

  test('the key of one caller says nothing to another', async () => {
    const store = await openStore();
    const headers = await headersOf(store);
    const service = await stage.open(store.options);
    const { request } = newPayment();
    expectSettledAt(await settle(service, request, 'one', headers));
    expect((await settle(service, request, 'one')).body).toMatchObject({ errorReason: REPLAYED });
    expectSettledAt(await settle(service, newPayment().request, 'one'));
  });
});

const headersOf = async (store: StoreOfKeys): Promise<Headers> => bearer((await makeKey(store)).text);

function expectSettledAt({ status, body }: Settled): void {
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true } });
}

test('a payment at the same time under two keys and without one is delivered once', async () => {
  const { request } = newPayment();
  const answers = await Promise.all(
    ['one', 'two', undefined].map((key) => settle(stage.facilitator, request, key)),
  );
  expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
});

test('the second of two requests under one key is told at once to come back', async () => {
  const payment = newPayment();
  const key = randomUUID();
  stage.sandbox.stopLedgers();
  const first = settle(stage.facilitator, payment.request, key);
  await sent(1);
  const second = await settle(stage.facilitator, payment.request, key);
  expect(second).toMatchObject({ status: 409, body: { errorReason: 'svc_settlement_pending' } });
  stage.sandbox.faults.clear();
  expectSettled((await first).body, payment);
});

test('while a transaction has no outcome, the key is pending, and then has its answer', async () => {
  const journal = openJournal({ path: ':memory:', log: silent });
  const service = await stage.open({ journal, parts: { limits: { answerWithinMs: 500 } } });
  const payment = newPayment();
  const key = randomUUID();
  stage.sandbox.stopLedgers();
  const early = await settle(service, payment.request, key);
  expect(early).toMatchObject({ status: 409, body: { errorReason: 'svc_settlement_pending' } });
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(0);
  const { transaction } = early.body.extra as { transaction: string };
  stage.sandbox.faults.clear();
  await expect
    .poll(() => settle(service, payment.request, key))
    .toMatchObject({ status: 200, body: { transaction } });
  expect(sends()).toBe(1);
});

test('an answer that cannot be kept says what the record tells later, and nothing of the listing', async () => {
  const journal = openJournal({ path: ':memory:', log: silent });
  const payment = newPayment();
  const sold = { resource: { url: 'https://shop.example/weather' }, extensions: { bazaar } };
  const request = { ...payment.request, paymentPayload: { ...payment.request.paymentPayload, ...sold } };
  const answers = { ...journal.answers, keep: async () => undefined };
  const catalog = catalogDouble({ submit: async () => ({ status: 'success' }) });
  const service = await stage.open({ journal: { ...journal, answers }, catalog });
  const key = randomUUID();
  const first = await settle(service, request, key);
  expectSettled(first.body, payment);
  expect(bytesOf(await settle(service, request, key))).toBe(bytesOf(first));
});

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
  ['with a space', 'a b'],
  ['not ASCII', 'cl\u00e9'],
])('a key that is %s is refused, and nothing is done for the payment', async (_what, key) => {
  const answer = await settle(stage.facilitator, newPayment().request, key);
  expect(answer).toMatchObject({ status: 400, body: { errorReason: 'svc_invalid_idempotency_key' } });
  expect(stage.sandbox.calls.counts()).not.toHaveProperty('simulateTransaction');
});
