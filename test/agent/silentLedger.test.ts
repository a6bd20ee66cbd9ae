import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { FORECAST, openSeller, whenPaid } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { withShortCalls } from './support/waiting.ts';

const stage = useAgentStage();

describe('while the ledger cannot be asked', () => {
  const rpcDown = () =>
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503, methods: ['getLedgerEntries'] });

  test('a receipt is only a claim, and the same call finds it on the ledger later', async () => {
    withShortCalls(stage);
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    rpcDown();
    const first = await buyer.pay({ url: seller.url });
    const { claimedReceipt } = first.structured;
    expect(first).toMatchObject({
      isError: true,
      structured: {
        errorCode: 'svc_mcp_payment_not_settled',
        paid: null,
        receipt: null,
        claimedReceipt: { transaction: expect.stringMatching(/^[0-9a-f]{64}$/), payer: buyer.address },
        payment: { status: 'unknown', transaction: null, receiptChecked: false, openAtLedger: null },
        result: FORECAST,
      },
    });
    stage.sandbox.faults.clear();
    stage.limits.answerWithinMs = 20_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second).toMatchObject({
      isError: false,
      structured: { fromEarlierCall: true, paid: true, receipt: claimedReceipt, result: FORECAST },
    });
    expect(second.structured).not.toHaveProperty('claimedReceipt');
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('a lost answer has an unknown end, which the same call learns later', async () => {
    withShortCalls(stage);
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await visit.settle();
        visit.response.destroy();
      }),
    );
    const buyer = await stage.buyer();
    rpcDown();
    const first = await buyer.pay({ url: seller.url });
    expect(first.structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('the ledger does not answer'),
      payment: { status: 'unknown' },
    });
    stage.sandbox.faults.clear();
    stage.limits.answerWithinMs = 20_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      fromEarlierCall: true,
      payment: { status: 'settled', transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(buyer.spent()).toBe(AMOUNT);
    expect(seller.paid()).toHaveLength(1);
  });

  test('for long, following ends; the same call takes it up again', async () => {
    withShortCalls(stage);
    Object.assign(stage.limits.wallet, { giveUpAfterMs: 300, firstLookAfterMs: 50 });
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await visit.settle();
        visit.response.destroy();
      }),
    );
    const buyer = await stage.buyer();
    rpcDown();
    const first = await buyer.pay({ url: seller.url });
    expect(first.structured).toMatchObject({ payment: { status: 'unknown' } });
    stage.sandbox.faults.clear();
    stage.limits.wallet.giveUpAfterMs = 20_000;
    stage.limits.answerWithinMs = 20_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ fromEarlierCall: true, payment: { status: 'settled' } });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('what may have been paid stays taken out of the budget, until it is certain that it was not', async () => {
    withShortCalls(stage);
    const cutting = await openSeller(
      stage,
      whenPaid((visit) => void visit.response.destroy()),
    );
    const selling = await openSeller(stage);
    const buyer = await stage.buyer({ SVC_MCP_SESSION_BUDGET: String(AMOUNT) });
    rpcDown();
    expect((await buyer.pay({ url: cutting.url })).structured).toMatchObject({
      payment: { status: 'unknown' },
    });
    expect((await buyer.pay({ url: selling.url })).structured).toMatchObject({
      errorCode: 'svc_mcp_payment_declined_by_policy',
    });
    stage.sandbox.faults.clear();
    await expect
      .poll(() => buyer.log.some(({ status }) => status === 'notSettled'), { timeout: 20_000 })
      .toBe(true);
    expect((await buyer.pay({ url: selling.url })).structured).toMatchObject({ paid: true });
  });

  test('nothing is signed where the price cannot be simulated', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503, methods: ['simulateTransaction'] });
    expect((await buyer.pay({ url: seller.url })).structured).toEqual({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringMatching(/nothing was paid.*RPC that RPC_URL names does not answer/),
    });
    expect(seller.paid()).toEqual([]);
  });
});
