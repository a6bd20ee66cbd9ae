import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CALL_LIMITS } from '../../src/mcp/limits.ts';
import { FOLLOW_LIMITS } from '../../src/wallet/limits.ts';
import { AMOUNT } from '../support/payments.ts';
import { withLimits } from './support/limits.ts';
import { FORECAST, openSeller, sellHonestly, whenPaid } from './support/seller.ts';
import type { Seller } from './support/seller.ts';
import { useAgentStage } from './support/stage.ts';
import type { Buyer } from './support/stage.ts';

const stage = useAgentStage();

/** Time enough to sign and to send, and over before anybody looks whether a payment is dead that nobody answers. */
const SHORT = { answerWithinMs: FOLLOW_LIMITS.firstLookAfterMs - 1_000, minToPayMs: 0 };
/** Payments of so many seconds hold for so many ledgers on the local network: for longer than such a call takes. */
const LASTING = { maxTimeoutSeconds: 60 };

function letPaymentsEnd(): void {
  for (let ledger = 0; ledger < LASTING.maxTimeoutSeconds; ledger += 1) stage.sandbox.network.closeLedger();
}

/** A seller who does what `Promise` says only when told. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

describe('a call that answers before its end is known', () => {
  test('says so, and the same call made again gets the result without paying again', async () => {
    withLimits(CALL_LIMITS, SHORT);
    const { opened, open } = gate();
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        const receipt = await visit.settle();
        await opened;
        visit.deliver(FORECAST, receipt);
      }),
    );
    const buyer = await stage.buyer();
    const args = { url: seller.url, input: { a: 1, b: { c: 2 } } };
    const first = await buyer.pay(args);
    expect(first.structured).toMatchObject({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('has not answered yet'),
      payment: { status: expect.stringMatching(/unknown|settled/) },
    });
    open();
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

  test('and whose payment ends unpaid: the same call pays anew', async () => {
    withLimits(CALL_LIMITS, { ...SHORT, refusedFollowMs: 200 });
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
    CALL_LIMITS.answerWithinMs = 25_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ paid: true, payment: { status: 'settled' } });
    expect(second.structured.fromEarlierCall).toBeUndefined();
    expect(buyer.spent()).toBe(AMOUNT);
    expect(seller.paid()).toHaveLength(2);
  });

  test('and whose target holds it until it is dead: the same call pays anew, and is told that', async () => {
    withLimits(CALL_LIMITS, SHORT);
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
    CALL_LIMITS.answerWithinMs = 25_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ paid: true, payment: { status: 'settled' } });
    expect(second.structured.fromEarlierCall).toBeUndefined();
    expect(seller.paid()).toHaveLength(2);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('is shared by all that make the same call meanwhile', async () => {
    withLimits(CALL_LIMITS, SHORT);
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
    CALL_LIMITS.answerWithinMs = 25_000;
    const again = [1, 2, 3].map(() => buyer.pay({ url: seller.url }));
    open();
    for (const { structured } of await Promise.all(again))
      expect(structured).toMatchObject({ paid: true, fromEarlierCall: true, result: FORECAST });
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('does not hold up another call', async () => {
    withLimits(CALL_LIMITS, { ...SHORT, refusedFollowMs: 200 });
    let isSelling = false;
    const seller = await openSeller(stage, (visit) => (isSelling ? sellHonestly(visit) : visit.askToPay()));
    const buyer = await stage.buyer();
    await buyer.pay({ url: seller.url, input: { day: 1 } });
    isSelling = true;
    CALL_LIMITS.answerWithinMs = 20_000;
    expect((await buyer.pay({ url: seller.url, input: { day: 2 } })).structured).toMatchObject({
      paid: true,
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });
});

describe('the same call, made several times at once', () => {
  test('pays once', async () => {
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
    for (const { structured } of answers) expect(structured).toMatchObject({ paid: true, result: FORECAST });
    expect(new Set(answers.map(({ structured }) => structured.payment.transaction)).size).toBe(1);
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('pays by one of them where another is declined before anything is signed', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503, methods: ['simulateTransaction'], times: 1 });
    const answers = await Promise.all([1, 2].map(() => buyer.pay({ url: seller.url })));
    expect(answers.filter(({ isError }) => isError)).toHaveLength(1);
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });
});

describe('nothing is signed, and the result says so', () => {
  const notMade = (why: string) => ({
    errorCode: 'svc_mcp_internal_error',
    reason: expect.stringMatching(`${why}.*nothing was paid`),
  });

  test('where too little time is left to pay', async () => {
    withLimits(CALL_LIMITS, { answerWithinMs: 14_000 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(notMade('make it again'));
    expect(buyer.log).toEqual([]);
  });

  test('where the time is over before the payment is prepared', async () => {
    withLimits(CALL_LIMITS, { answerWithinMs: 3_000, minToPayMs: 0 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    stage.sandbox.faults.add({ kind: 'delay', ms: 4_000, methods: ['simulateTransaction'], times: 1 });
    expect((await buyer.pay({ url: seller.url })).structured).toEqual({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('make the same call again'),
    });
    CALL_LIMITS.answerWithinMs = 20_000;
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({ paid: true });
    expect(buyer.log.filter(({ msg }) => msg === 'payment signed')).toHaveLength(1);
  });

  test('where the server is closing by then', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      return sellHonestly(visit);
    });
    const buyer = await stage.buyer();
    const call = buyer.pay({ url: seller.url });
    await expect.poll(() => seller.visits.length).toBe(1);
    const closed = buyer.close();
    open();
    expect((await call).structured).toEqual(notMade('the server is closing'));
    await closed;
    expect(buyer.log).toEqual([]);
  });
});

test('a target that does not answer is waited for no longer than the call may take', async () => {
  withLimits(CALL_LIMITS, { answerWithinMs: 300 });
  const seller = await openSeller(stage, () => {});
  expect((await (await stage.searcher()).pay({ url: seller.url })).structured).toEqual({
    errorCode: 'svc_mcp_resource_unreachable',
    reason: expect.stringContaining('no complete answer in time'),
  });
});

test('with too many payments open nothing is signed', async () => {
  withLimits(CALL_LIMITS, { ...SHORT, maxOpenPurchases: 1 });
  const seller = await openSeller(
    stage,
    whenPaid(() => {}),
  );
  const buyer = await stage.buyer();
  const first = await buyer.pay({ url: seller.url, input: { day: 1 } });
  expect(first.structured).toMatchObject({ payment: { status: 'unknown' } });
  expect((await buyer.pay({ url: seller.url, input: { day: 2 } })).structured).toEqual({
    errorCode: 'svc_mcp_internal_error',
    reason: expect.stringMatching(/payments are open already.*Nothing was paid/),
  });
  expect(seller.paid()).toHaveLength(1);
});

describe('a call that its host gives up', () => {
  test('before its price is known signs nothing', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      return sellHonestly(visit);
    });
    const buyer = await stage.buyer();
    const given = new AbortController();
    const call = buyer.pay({ url: seller.url }, { signal: given.signal });
    await expect.poll(() => seller.visits.length).toBe(1);
    given.abort();
    await expect(call).rejects.toThrow();
    open();
    await expectOnlyPaymentIs(buyer, seller, { day: 2 });
  });

  test('while its payment is prepared signs nothing', async () => {
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    const given = new AbortController();
    stage.sandbox.calls.reset();
    stage.sandbox.faults.add({ kind: 'delay', ms: 500, methods: ['simulateTransaction'], times: 1 });
    const call = buyer.pay({ url: seller.url }, { signal: given.signal });
    await expect.poll(() => stage.sandbox.calls.counts()['simulateTransaction']).toBe(1);
    given.abort();
    await expect(call).rejects.toThrow();
    await expectOnlyPaymentIs(buyer, seller, { day: 2 });
  });

  /** Makes another call, which takes all the way that the one before had to go, and waits some more. */
  async function expectOnlyPaymentIs(buyer: Buyer, seller: Seller, input: object): Promise<void> {
    expect((await buyer.pay({ url: seller.url, input })).structured).toMatchObject({ paid: true });
    await sleep(700);
    expect(buyer.log.filter(({ msg }) => msg === 'payment signed')).toHaveLength(1);
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  }

  test('after the payment was sent is finished, and the same call gets its result', async () => {
    const { opened, open } = gate();
    const seller = await openSeller(
      stage,
      whenPaid(async (visit) => {
        await opened;
        return sellHonestly(visit);
      }),
    );
    const buyer = await stage.buyer();
    const given = new AbortController();
    const call = buyer.pay({ url: seller.url }, { signal: given.signal });
    await expect.poll(() => seller.paid().length).toBe(1);
    given.abort();
    await expect(call).rejects.toThrow();
    open();
    expect((await buyer.pay({ url: seller.url })).structured).toMatchObject({
      paid: true,
      fromEarlierCall: true,
      result: FORECAST,
    });
    expect(seller.paid()).toHaveLength(1);
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('gets signs of life while it waits', async () => {
    withLimits(CALL_LIMITS, { progressEveryMs: 50 });
    const { opened, open } = gate();
    const seller = await openSeller(stage, async (visit) => {
      await opened;
      visit.deliver();
    });
    const agent = await stage.searcher();
    const seen: number[] = [];
    const call = agent.pay({ url: seller.url }, { onprogress: ({ progress }) => seen.push(progress) });
    await expect.poll(() => seen.length).toBeGreaterThan(2);
    open();
    await call;
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  });
});

describe('while the ledger cannot be asked', () => {
  const rpcDown = () =>
    stage.sandbox.faults.add({ kind: 'httpStatus', status: 503, methods: ['getLedgerEntries'] });

  test('a receipt is given on, and said to be unchecked', async () => {
    withLimits(CALL_LIMITS, { answeredFollowMs: 500 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    rpcDown();
    const { isError, structured } = await buyer.pay({ url: seller.url });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      paid: null,
      receipt: { transaction: expect.stringMatching(/^[0-9a-f]{64}$/) },
      payment: { status: 'unknown', transaction: null, receiptChecked: false },
      result: FORECAST,
    });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('a lost answer has an unknown end, which the same call learns later', async () => {
    withLimits(CALL_LIMITS, SHORT);
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
    CALL_LIMITS.answerWithinMs = 20_000;
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
    withLimits(CALL_LIMITS, SHORT);
    withLimits(FOLLOW_LIMITS, { giveUpAfterMs: 300, firstLookAfterMs: 50 });
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
    FOLLOW_LIMITS.giveUpAfterMs = 20_000;
    CALL_LIMITS.answerWithinMs = 20_000;
    const second = await buyer.pay({ url: seller.url });
    expect(second.structured).toMatchObject({ fromEarlierCall: true, payment: { status: 'settled' } });
    expect(buyer.spent()).toBe(AMOUNT);
  });

  test('what may have been paid stays taken out of the budget, until it is certain that it was not', async () => {
    withLimits(CALL_LIMITS, SHORT);
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
      reason: expect.stringMatching(/nothing was paid.*RPC does not answer/),
    });
    expect(seller.paid()).toEqual([]);
  });
});
