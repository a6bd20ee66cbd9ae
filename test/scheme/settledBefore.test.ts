import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import type { FacilitatorRequest } from '../../src/contract/index.ts';
import { AMOUNT, requestFor, requirementsFor, signTransfer } from '../support/payments.ts';
import { silent } from '../support/service.ts';
import { settlementsOn, type Payment } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled } = settlementsOn(stage);

const CODE = 'invalid_exact_stellar_payload_simulation_failed';
const SHORT_LEDGERS = 40;

const USED =
  'The network would not execute this transfer: its authorization is already used (HostError: Error(Auth, ExistingValue)).';

const FORGED =
  "The network would not execute this transfer: a signature is missing or wrong, or the payer's contract refuses it (HostError: Error(Auth, InvalidAction)).";
const EXPIRED =
  'The network would not execute this transfer: its authorization has expired, or lasts longer than the network allows (HostError: Error(Auth, InvalidInput)).';

/** Holds verify and settle to refuse a payment with this text, and to name this transaction or none. */
async function expectRefused(
  request: FacilitatorRequest,
  text: string,
  transaction: string | undefined,
  { verify, settle } = stage.facilitator,
): Promise<void> {
  const extra = transaction === undefined ? undefined : { transaction };
  const verdict = await verify(request);
  expect(verdict).toMatchObject({ isValid: false, invalidReason: CODE, invalidMessage: text });
  expect(verdict.extra).toEqual(extra);
  const answer = await settle(request);
  expect(answer).toMatchObject({ success: false, errorReason: CODE, errorMessage: text, transaction: '' });
  expect(answer.extra).toEqual(extra);
}

async function settle(payment: Payment): Promise<{ hash: string; text: string }> {
  const hash = expectSettled(await stage.facilitator.settle(payment.request), payment);
  const text = `The authorization is already used, by transaction ${hash}: this facilitator has settled the same transfer before.`;
  return { hash, text };
}

/** A payment whose authorization soon expires. */
const shortLived = (): Payment => newPayment({ expiration: stage.sandbox.expirationIn(SHORT_LEDGERS) });

function expire(): void {
  for (let closed = 0; closed <= SHORT_LEDGERS; closed++) stage.sandbox.network.closeLedger();
}

describe('a payment that this service has settled', () => {
  test('is refused by naming the transaction', async () => {
    const payment = newPayment();
    const { hash, text } = await settle(payment);
    await expectRefused(payment.request, text, hash);
    expect(stage.sandbox.usdc(payment.payTo)).toBe(AMOUNT);
  });

  test('is refused so even after its authorization has expired', async () => {
    const payment = shortLived();
    const { hash, text } = await settle(payment);
    expire();
    await expectRefused(payment.request, text, hash);
  });
});

describe('no transaction is named', () => {
  test('for a payment that another service has settled', async () => {
    const payment = newPayment();
    await settle(payment);
    await expectRefused(payment.request, USED, undefined, await stage.open());
  });

  test('for other terms with the same authorization, whose seller was not paid', async () => {
    const key = stage.sandbox.account(2n * AMOUNT);
    const signed = { key, nonce: stage.sandbox.nonce(), expiration: stage.sandbox.expirationIn(60) };
    const paid = newPayment(signed);
    await settle(paid);
    const others = [
      requirementsFor(stage.sandbox.account(0n).publicKey()),
      requirementsFor(paid.payTo, { amount: String(AMOUNT - 1n) }),
    ];
    for (const requirements of others) {
      const other = requestFor(requirements, signTransfer({ ...signed, requirements }));
      await expectRefused(other, USED, undefined);
    }
  });

  test('for a forged signature, which has words of its own', async () => {
    const forged = newPayment({}, (draft) => {
      draft.entries[0]!.nonce += 1n;
    });
    await expectRefused(forged.request, FORGED, undefined);
  });

  test('for an authorization that has expired unused', async () => {
    const payment = shortLived();
    expire();
    await expectRefused(payment.request, EXPIRED, undefined);
  });
});

test('good payments are not looked up', async () => {
  const journal = openJournal({ path: ':memory:', log: silent });
  const lookedUp: unknown[] = [];
  const settledBy = (payment: unknown): undefined => void lookedUp.push(payment);
  const facilitator = await stage.open({ journal: { ...journal, settledBy } });
  const payment = newPayment();
  expect(await facilitator.verify(payment.request)).toMatchObject({ isValid: true });
  expectSettled(await facilitator.settle(payment.request), payment);
  expect(lookedUp).toEqual([]);
  expect(await facilitator.verify(payment.request)).toMatchObject({ isValid: false });
  expect(lookedUp).toHaveLength(1);
});
