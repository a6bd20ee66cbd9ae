import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { FORECAST, openSeller, openSlowSeller, sellHonestly, whenPaid } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import { gate, withShortCalls } from './support/waiting.ts';

const stage = useAgentStage();

/** Payments of so many seconds hold for so many ledgers on the local network: for longer than such a call takes. */
const LASTING = { maxTimeoutSeconds: 60 };

function letPaymentsEnd(): void {
  for (let ledger = 0; ledger < LASTING.maxTimeoutSeconds; ledger += 1) stage.sandbox.network.closeLedger();
}

describe('a call that answers before its end is known', () => {
  test('says so, and the same call made again gets the result without paying again', async () => {
    withShortCalls(stage);
    const { seller, open } = await openSlowSeller(stage);
    const buyer = await stage.buyer();
    const args = { url: seller.url, input: { a: 1, b: { c: 2 } } };
    const first = await buyer.pay(args);
    expect(first.structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringMatching(/has not answered yet.*ake the same call again, with the same arguments/),
      payment: { status: expect.stringMatching(/unknown|settled/) },
    });
    expect(first.structured.reason).not.toContain('would pay again');
    open();
    stage.limits.answerWithinMs = 25_000;
    const second = await buyer.pay({ input: { b: { c: 2 }, a: 1 }, url: seller.url });
    expect(second.structured).toMatchObject({
      paid: true,
      fromEarlierCall: true,
      result: FORECAST,
      payment: { status: 'settled', receiptChecked: true },
    });
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);

    expect((await buyer.pay(args)).structured).toMatchObject({ paid: true });
    expect(buyer.spent()).toBe(2n * AMOUNT);
  });

  test('and is made again with another maxAmount does not pay again either', async () => {
    withShortCalls(stage);
    const { seller, open } = await openSlowSeller(stage);
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).isError).toBe(true);
    open();
    stage.limits.answerWithinMs = 25_000;
    expect((await buyer.pay({ url: seller.url, maxAmount: '5000000' })).structured).toMatchObject({
      paid: true,
      fromEarlierCall: true,
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('and whose payment ends unpaid: the same call pays anew', async () => {
    withShortCalls(stage, { refusedFollowMs: 200 });
    let isSelling = false;
    const seller = await openSeller(
      stage,
      (visit) => (isSelling ? sellHonestly(visit) : visit.askToPay()),
      LASTING,
    );
    const buyer = await stage.buyer({ SVC_MCP_SESSION_BUDGET: String(AMOUNT) });
    const first = await buyer.pay({ url: seller.url });
    expect(first.structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('same call again'),
      payment: { status: 'unknown' },
    });
    isSelling = true;
    letPaymentsEnd();
    stage.limits.answerWithinMs = 25_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ paid: true, payment: { status: 'settled' } });
    expect(second.structured.fromEarlierCall).toBeUndefined();
    expect(buyer.spent()).toBe(AMOUNT);
    expect(seller.paid()).toHaveLength(2);
  });

  test('and whose target holds it until it is dead: the same call pays anew, and is told that', async () => {
    withShortCalls(stage);
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        if (seller.paid().length > 1) await sellHonestly(visit);
      }),
      LASTING,
    );
    const buyer = await stage.buyer();
    const first = await buyer.pay({ url: seller.url });
    expect(first.structured).toMatchObject({ payment: { status: 'unknown' } });
    letPaymentsEnd();
    stage.limits.answerWithinMs = 25_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ paid: true, payment: { status: 'settled' } });
    expect(second.structured.fromEarlierCall).toBeUndefined();
    expect(seller.paid()).toHaveLength(2);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('is shared by all that make the same call again', async () => {
    withShortCalls(stage);
    const { opened, open } = gate();
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await opened;
        await sellHonestly(visit);
      }),
      { maxTimeoutSeconds: 120 },
    );
    const buyer = await stage.buyer();
    await buyer.pay({ url: seller.url });
    stage.limits.answerWithinMs = 25_000;
    const again = [1, 2, 3].map(() => buyer.pay({ url: seller.url }));
    open();
    for (const { structured } of await Promise.all(again))
      expect(structured).toMatchObject({ paid: true, fromEarlierCall: true, result: FORECAST });
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('does not hold up another call', async () => {
    withShortCalls(stage, { refusedFollowMs: 200 });
    let isSelling = false;
    const seller = await openSeller(stage, (visit) => (isSelling ? sellHonestly(visit) : visit.askToPay()));
    const buyer = await stage.buyer();
    await buyer.pay({ url: seller.url, input: { day: 1 } });
    isSelling = true;
    stage.limits.answerWithinMs = 20_000;
    expect((await buyer.pay({ url: seller.url, input: { day: 2 } })).structured).toMatchObject({
      paid: true,
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});

describe('calls with the same arguments, made at once', () => {
  test('are calls of their own: each pays, and gets what it paid for', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      if (visit.payment === undefined) await opened;
      await sellHonestly(visit);
    });
    const buyer = await stage.buyer();
    const calls = [1, 2, 3].map(() => buyer.pay({ url: seller.url }));
    await expect.poll(() => seller.visits.length).toBe(3);
    open();
    const answers = await Promise.all(calls);
    for (const { structured } of answers) {
      expect(structured).toMatchObject({ paid: true, result: FORECAST });
      expect(structured.fromEarlierCall).toBeUndefined();
    }
    expect(new Set(answers.map(({ structured }) => structured.payment.transaction)).size).toBe(3);
    expect(seller.paid()).toHaveLength(3);
    expect(buyer.spent()).toBe(3n * AMOUNT);
  });

  test('of which one is not paid for, before anything is signed: the other is', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    // Each asks twice: one of the four questions is answered.
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503, methods: ['simulateTransaction'], times: 3 });
    const answers = await Promise.all([1, 2].map(() => buyer.pay({ url: seller.url })));
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1);
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('of which one was given up by its host: when that is made again it shares no other than its own', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await opened;
        await sellHonestly(visit);
      }),
    );
    const buyer = await stage.buyer();
    const given = new AbortController();
    const givenUp = buyer.pay({ url: seller.url }, { signal: given.signal });
    const kept = buyer.pay({ url: seller.url });
    await expect.poll(() => seller.paid().length).toBe(2);
    given.abort();
    await expect(givenUp).rejects.toThrow();
    const again = buyer.pay({ url: seller.url });
    open();
    const answers = [(await kept).structured, (await again).structured];
    expect(answers).toMatchObject([{ paid: true }, { paid: true, fromEarlierCall: true }]);
    expect(new Set(answers.map(({ payment }) => payment.transaction)).size).toBe(2);
    expect(buyer.spent()).toBe(2n * AMOUNT);
  });
});

test('a target that does not answer is waited for no longer than the call may take', async () => {
  Object.assign(stage.limits, { answerWithinMs: 300 });
  const seller = await openSeller(stage, () => {});
  expect((await (await stage.searcher()).pay({ url: seller.url })).structured).toEqual({
    errorCode: 'svc_mcp_resource_unreachable',
    reason: expect.stringContaining('no complete answer in time'),
  });
});
