import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { FORECAST, openSeller, sellHonestly, whenPaid, type Seller } from './support/seller.ts';
import { useAgentStage, type Buyer } from './support/stage.ts';
import { gate, withShortCalls } from './support/waiting.ts';

const stage = useAgentStage();

describe('nothing is signed, and the result says so', () => {
  const notMade = (why: string) => ({
    errorCode: 'svc_mcp_internal_error',
    reason: expect.stringMatching(`${why}.*nothing was paid`),
  });

  test('where too little time is left to pay', async () => {
    Object.assign(stage.limits, { answerWithinMs: 14_000 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    expect((await buyer.pay({ url: seller.url })).structured).toEqual(notMade('make it again'));
    expect(buyer.log).toEqual([]);
  });

  test('where the time is over before the payment is prepared', async () => {
    Object.assign(stage.limits, { answerWithinMs: 3_000, minToPayMs: 0 });
    const seller = await openSeller(stage);
    const buyer = await stage.buyer();
    stage.sandbox.faults.add({ kind: 'delay', ms: 4_000, methods: ['simulateTransaction'], times: 1 });
    expect((await buyer.pay({ url: seller.url })).structured).toEqual({
      errorCode: 'svc_mcp_payment_not_settled',
      reason: expect.stringContaining('make the same call again'),
    });
    stage.limits.answerWithinMs = 20_000;
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

test('with too many payments open nothing is signed', async () => {
  withShortCalls(stage, { maxOpenPurchases: 1 });
  const seller = await openSeller(
    stage,
    whenPaid(() => {}),
  );
  const buyer = await stage.buyer();
  const first = await buyer.pay({ url: seller.url, input: { day: 1 } });
  expect(first.structured).toMatchObject({ payment: { status: 'unknown' } });
  expect((await buyer.pay({ url: seller.url, input: { day: 2 } })).structured).toEqual({
    errorCode: 'svc_mcp_busy',
    reason: expect.stringMatching(/payments are open.*Nothing was paid/),
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
    Object.assign(stage.limits, { progressEveryMs: 50 });
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
