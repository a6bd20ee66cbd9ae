import { xdr } from '@stellar/stellar-sdk';
import { describe, expect, test } from 'vitest';
import { AMOUNT, requestFor } from '../support/payments.ts';
import { tamper } from '../support/paymentsDraft.ts';
import { settlementsOn } from '../support/serviceSettlements.ts';
import { useStage } from '../support/serviceStage.ts';

const stage = useStage({ withFeeBump: false });
const { newPayment, expectSettled, settlement, sends, sent } = settlementsOn(stage);

describe('settlements beside each other', () => {
  test('of one authorization, one pays and the others are refused by their own verification', async () => {
    const { settle } = await stage.open({
      submitters: [stage.sandbox.submitter(), stage.sandbox.submitter()],
    });
    const payment = newPayment();
    const again = newPayment();
    const disguised = tamper(
      payment.transaction,
      (draft) => void (draft.memo = xdr.Memo.memoText('other bytes')),
    );
    const requests = [
      payment.request,
      payment.request,
      requestFor(payment.request.paymentRequirements, disguised),
    ];
    const answers = await Promise.all(requests.map((request) => settle(request)));
    const paid = answers.filter(({ success }) => success);
    expect(paid).toHaveLength(1);
    expectSettled(paid[0]!, payment);
    for (const refused of answers.filter(({ success }) => !success)) {
      expect(refused).toMatchObject({
        errorReason: 'invalid_exact_stellar_payload_simulation_failed',
        transaction: '',
      });
    }
    expect(sends()).toBe(1);
    expectSettled(await settle(again.request), again);
  });

  test('that one balance cannot cover, those that had to wait are verified again and cost no fee', async () => {
    const { settle } = await stage.open({ submitters: [stage.sandbox.submitter()] });
    const key = stage.sandbox.account(AMOUNT);
    const payments = Array.from({ length: 5 }, () => newPayment({ key }));
    const answers = await Promise.all(payments.map(({ request }) => settle(request)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    for (const { success, errorReason } of answers) {
      if (!success) expect(errorReason).toBe('invalid_exact_stellar_payload_simulation_failed');
    }
    expect(sends()).toBe(1);
  });

  test('a settled payment cannot be settled or verified again', async () => {
    const payment = newPayment();
    expectSettled(await stage.facilitator.settle(payment.request), payment);
    const code = 'invalid_exact_stellar_payload_simulation_failed';
    expect(await stage.facilitator.settle(payment.request)).toMatchObject({
      success: false,
      errorReason: code,
    });
    expect(await stage.facilitator.verify(payment.request)).toMatchObject({
      isValid: false,
      invalidReason: code,
    });
    expect(stage.sandbox.usdc(payment.payTo)).toBe(AMOUNT);
  });

  test('submitters take turns, and none ever carries two pending transactions', async () => {
    const keys = [stage.sandbox.submitter(), stage.sandbox.submitter(), stage.sandbox.submitter()];
    const { settle } = await stage.open({ submitters: keys });
    const payments = Array.from({ length: 9 }, () => newPayment());
    stage.sandbox.stopLedgers();
    const answers = payments.map(({ request }) => settle(request));
    for (const pending of [3, 6, 9]) {
      await sent(pending);
      stage.sandbox.network.closeLedger();
    }
    const settled = (await Promise.all(answers)).map((answer, index) =>
      settlement(expectSettled(answer, payments[index]!)),
    );
    const perLedger = Map.groupBy(settled, ({ ledger }) => ledger);
    const addresses = keys.map((key) => key.publicKey()).sort();
    expect([...perLedger.values()].map((carried) => carried.map(({ source }) => source).sort())).toEqual([
      addresses,
      addresses,
      addresses,
    ]);
  });

  test('one after the other go round the submitters', async () => {
    const keys = [stage.sandbox.submitter(), stage.sandbox.submitter(), stage.sandbox.submitter()];
    const { settle } = await stage.open({ submitters: keys });
    const sources: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const payment = newPayment();
      sources.push(settlement(expectSettled(await settle(payment.request), payment)).source);
    }
    const round = keys.map((key) => key.publicKey());
    expect(sources).toEqual([...round, ...round]);
  });

  test('a submitter without an account is passed over', async () => {
    const [missing, funded] = [stage.sandbox.keyWithoutAccount(), stage.sandbox.submitter()];
    const { settle } = await stage.open({ submitters: [missing, funded] });
    for (let turn = 0; turn < 2; turn++) {
      const payment = newPayment();
      const { source } = settlement(expectSettled(await settle(payment.request), payment));
      expect(source).toBe(funded.publicKey());
    }
  });

  test('a submitter without an account does not keep a payment from waiting for one that is busy', async () => {
    const [missing, funded] = [stage.sandbox.keyWithoutAccount(), stage.sandbox.submitter()];
    const { settle } = await stage.open({ submitters: [missing, funded] });
    const [first, second] = [newPayment(), newPayment()];
    stage.sandbox.stopLedgers();
    const answers = [settle(first.request), settle(second.request)];
    await sent(1);
    stage.sandbox.faults.clear();
    const [one, other] = await Promise.all(answers);
    expectSettled(one!, first);
    expectSettled(other!, second);
  });
});
