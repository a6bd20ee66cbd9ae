import { describe, expect, test, vi } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { expectRecovery, expectTruth } from './truth.ts';
import { until, useWorlds } from './world.ts';

vi.setConfig({ maxConcurrency: 20, testTimeout: 60_000 });
const openWorld = useWorlds();

const sends = ({ node }: Awaited<ReturnType<typeof openWorld>>) =>
  node.calls.counts()['sendTransaction'] ?? 0;

describe.concurrent('a network that is busy', () => {
  test('for a while is sent the same transaction until it takes it', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER', times: 4 });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    expect(sends(world)).toBe(5);
    expect(world.journal()).toHaveLength(1);
    await expectRecovery(world);
  });

  test('for longer than the transaction is sent: the seller hears that nothing reached the ledger', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER' });
    expect(await world.settle(world.payment())).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_submission_failed',
      errorMessage: expect.stringContaining('TRY_AGAIN_LATER'),
    });
    await expectRecovery(world);
  });

  test('according to one of two nodes only: the payment settles', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2 });
    world.node.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER', times: 4 });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a transaction that is called a DUPLICATE', () => {
  test('since it arrived twice is paid once', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add({ kind: 'repeat', methods: ['sendTransaction'] });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });

  test.for(['DUPLICATE', 'PENDING'] as const)(
    'or %s and is in none of the next ledgers is sent again as the same bytes, and paid once',
    async (status, { onTestFinished }) => {
      const world = await openWorld(onTestFinished);
      world.node.faults.add({ kind: 'sendStatus', status, times: 1 });
      expect(await world.settle(world.payment())).toMatchObject({ success: true });
      expect(world.journal().map((row) => row.status)).toEqual(['success']);
      await expectRecovery(world);
    },
  );

  test.for(['DUPLICATE', 'PENDING'] as const)(
    'or %s and is in no ledger is signed anew once it never can be',
    async (status, { onTestFinished }) => {
      const world = await openWorld(onTestFinished, { settle: { resendAfterLedgers: Infinity } });
      world.node.faults.add({ kind: 'sendStatus', status, times: 1 });
      expect(await world.settle(world.payment())).toMatchObject({ success: true });
      expect(world.journal().map((row) => row.status)).toEqual(['never', 'success']);
      await expectRecovery(world);
    },
  );

  test('by the node that another one made ask for nothing else', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2 });
    world.node.faults.add({ kind: 'lostAnswer', methods: ['sendTransaction'] });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    const second = world.nodes[1]!.calls.counts()['sendTransaction'];
    expect([sends(world), second]).toEqual([1, 1]);
    await expectRecovery(world);
  });
});

describe.concurrent('a network that stops closing ledgers', () => {
  test('and goes on within the answer’s time: all payments under way settle', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { submitters: 3 });
    world.stopLedgers();
    const settled = Promise.all(Array.from({ length: 3 }, () => world.settle(world.payment())));
    await until('all are sent', () => sends(world) === 3);
    world.startLedgers();
    expect(await settled).toMatchObject(Array(3).fill({ success: true }));
    await expectRecovery(world);
  });

  test('and goes on after the answer: it says so, and the end is learned', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      settle: { answerWithinMs: 4_000, minInclusionSeconds: 1, maxInclusionSeconds: 10 },
    });
    world.stopLedgers();
    const payment = world.payment();
    const answer = await world.settle(payment);
    const { hash } = world.journal()[0]!;
    expect(answer).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining(`${hash} was sent; whether a ledger took it is not known yet`),
      extra: { transaction: hash },
    });
    world.startLedgers();
    await until('the end is learned', () => world.journal()[0]!.status !== null);
    await expectTruth(world);
  });

  test('for longer than the transaction is good: nothing moved, and the payment settles when asked again', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, {
      settle: { answerWithinMs: 2_000, minInclusionSeconds: 1, maxInclusionSeconds: 1 },
    });
    world.stopLedgers();
    const payment = world.payment();
    expect((await world.settle(payment)).errorMessage).toContain('not known yet');
    const answeredAt = performance.now();
    await until('it is good no more', () => performance.now() > answeredAt + 2_000);
    world.startLedgers();
    await until('the end is learned', () => world.journal()[0]!.status !== null);
    expect(world.journal()).toMatchObject([{ status: 'never' }]);
    expect(world.ledger()).toEqual([]);
    await until('it settles', async () => (await world.settle(payment)).success);
    expect(world.network.balances(payment.payTo).usdc).toBe(AMOUNT);
  });

  test('and is asked for the same payment again and again: it is paid once', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      settle: { answerWithinMs: 4_000, minInclusionSeconds: 1, maxInclusionSeconds: 10 },
    });
    world.stopLedgers();
    const payment = world.payment();
    const answers = await Promise.all([world.settle(payment), world.settle(payment)]);
    expect(answers.map(({ errorReason }) => errorReason)).toEqual(
      expect.arrayContaining(['settle_exact_stellar_transaction_failed', 'verification_failed']),
    );
    world.startLedgers();
    await until('the end is learned', async () => {
      await world.settle(payment);
      return world.journal().every(({ status }) => status !== null);
    });
    await expectTruth(world);
    expect(world.network.balances(payment.payTo).usdc).toBe(AMOUNT);
  });
});
