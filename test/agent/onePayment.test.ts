import { describe, expect, onTestFinished, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { openFacilitator } from '../support/service.ts';
import { FORECAST, openSeller, sellHonestly, whenPaid } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';

const stage = useAgentStage();

describe('one call signs one payment', () => {
  test('when the target asks to be paid again and again', async () => {
    const seller = await openSeller(stage, (visit) => visit.askToPay());
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      payment: { status: 'notSettled' },
    });
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(0n);
  });

  test('when the target settled and asks to be paid again', async () => {
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await visit.settle();
        visit.askToPay();
      }),
    );
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      payment: { status: 'settled' },
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('when the target has it settled twice, and later by another facilitator', async () => {
    const submitters = [stage.sandbox.submitter()];
    const another = await openFacilitator({ rpcUrl: stage.sandbox.url, submitters });
    onTestFinished(() => another.close());
    let later: Promise<{ success: boolean }> | undefined;
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        const [first, second] = [await visit.settle(), await visit.settle()];
        expect([first.success, second.success]).toEqual([true, false]);
        visit.deliver(FORECAST, first);
        const { payment } = visit;
        later = another.settle({
          x402Version: 2,
          paymentPayload: payment,
          paymentRequirements: payment.accepted,
        });
      }),
    );
    const buyer = await stage.buyer();
    const { isError } = await buyer.pay({ url: seller.url });
    expect(isError).toBe(false);
    expect(await later).toMatchObject({ success: false });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('when two facilitators settle it at the same time', async () => {
    const submitters = [stage.sandbox.submitter()];
    const another = await openFacilitator({ rpcUrl: stage.sandbox.url, submitters });
    onTestFinished(() => another.close());
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        const { payment } = visit;
        const request = { x402Version: 2, paymentPayload: payment, paymentRequirements: payment.accepted };
        const answers = await Promise.all([visit.settle(), another.settle(request)]);
        visit.deliver(
          FORECAST,
          answers.find(({ success }) => success),
        );
      }),
    );
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('when the connection is cut after the settlement', async () => {
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await visit.settle();
        visit.response.destroy();
      }),
    );
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      payment: { status: 'settled', transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('when the connection is cut before the settlement, which comes later', async () => {
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        visit.response.destroy();
        await new Promise((resolve) => setTimeout(resolve, 700));
        await visit.settle();
      }),
    );
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      payment: { status: 'settled', transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('when the target fails after the settlement', async () => {
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await visit.settle();
        visit.deliver({ oops: true }, undefined, 500);
      }),
    );
    const buyer = await stage.buyer();
    const { structured } = await buyer.pay({ url: seller.url });
    expect(structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      status: 500,
      result: { oops: true },
      payment: { status: 'settled' },
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});

test('what the facilitator refuses keeps its code', async () => {
  const seller = await openSeller(stage, (visit) => {
    if (visit.payment === undefined) return visit.askToPay();
    visit.payment.payload.transaction = 'AAAA';
    return sellHonestly(visit);
  });
  const buyer = await stage.buyer();
  const { structured } = await buyer.pay({ url: seller.url });
  expect(structured).toMatchObject({
    errorCode: 'invalid_exact_stellar_payload_malformed',
    payment: { status: 'notSettled' },
  });
  expect(buyer.spent()).toBe(0n);
});
