import { describe, expect, test, vi } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { FAULTS, patienceWith, WITH_EFFECT, WITHOUT_EFFECT } from './kinds.ts';
import { expectRecovery, expectTruth } from './truth.ts';
import { until, useWorlds, type WorldOptions } from './world.ts';

vi.setConfig({ maxConcurrency: 20, testTimeout: 60_000 });
const openWorld = useWorlds();

/** Soon over, where nothing can be known before. */
const BRIEF: WorldOptions = {
  settle: { answerWithinMs: 4_000, minInclusionSeconds: 2, maxInclusionSeconds: 2 },
};

describe.concurrent('a node that does this to each simulateTransaction lets no payment be judged:', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['simulateTransaction'] });
    const payment = world.payment();
    expect(await world.verify(payment)).toMatchObject({ invalidReason: 'unexpected_verify_error' });
    expect(await world.settle(payment)).toMatchObject({
      errorReason: 'unexpected_verify_error',
      errorMessage: expect.stringContaining('nothing was sent'),
    });
    await expectRecovery(world);
  });
});

describe.concurrent('a node that does this to one simulateTransaction keeps no payment from settling:', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['simulateTransaction'], times: 1 });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a node that does this to each getFeeStats keeps no payment from settling:', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['getFeeStats'] });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a submission that took effect is found on the ledger by its hash, though the node', () => {
  test.for(Object.keys(WITH_EFFECT))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['sendTransaction'] });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a submission that took no effect is sent again, and settles, where the node at first', () => {
  test.for(Object.keys(WITHOUT_EFFECT))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['sendTransaction'], times: 1 });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a payment is called lost once its transaction never can apply, where each time the node', () => {
  test.for(Object.keys(WITHOUT_EFFECT))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      rpc: patienceWith(what),
      settle: { maxSignatures: 1 },
    });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['sendTransaction'] });
    expect(await world.settle(world.payment())).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringContaining('never will'),
    });
    await expectRecovery(world);
  });
});

describe.concurrent('an unknown end is said to be unknown, and learned later, where to getTransaction the node', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { ...BRIEF, rpc: patienceWith(what) });
    world.node.faults.add({ ...FAULTS[what]!, methods: ['getTransaction'] });
    const payment = world.payment();
    // Several answers show one ledger: what only one has shown is doubted sooner.
    world.stopLedgers();
    const settling = world.settle(payment);
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    world.startLedgers();
    const answer = await settling;
    const hash = String(answer.extra?.['transaction']);
    expect(answer).toMatchObject({
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringMatching(new RegExp(`${hash}.* not known yet. Look it up`)),
    });
    expect(world.journal()).toMatchObject([{ hash, status: null }]);
    await world.mend();
    await until('the journal has the end', () => world.journal()[0]!.status === 'success');
    expect(world.network.balances(payment.payTo).usdc).toBe(AMOUNT);
    await expectRecovery(world);
  });
});

describe.concurrent('a node that is slow', () => {
  test('but in time settles all payments', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.faults.add({ kind: 'delay', ms: 250 });
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a service that could not read its submitters settles once it can, where the node', () => {
  // Without an answer to compare it with, a stale one is believed: the first payment then finds it out.
  const seen = Object.keys(FAULTS).filter((what) => what !== 'answers as of a stale ledger');
  test.for(seen)('%s', async (what, { onTestFinished }) => {
    const fault = { ...FAULTS[what]!, methods: ['getLedgerEntries'] };
    const world = await openWorld(onTestFinished, {
      rpc: patienceWith(what),
      before: ([node]) => node!.faults.add(fault),
    });
    expect(world.logged()).toContain('the RPC does not answer yet: check RPC_URL');
    expect(await world.settle(world.payment())).toMatchObject({
      errorReason: 'unexpected_settle_error',
      errorMessage: expect.stringContaining('nothing was sent'),
    });
    await expectRecovery(world);
  });
});

describe.concurrent('a service starts and settles, though to getNetwork the node', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const fault = { ...FAULTS[what]!, methods: ['getNetwork'] };
    const world = await openWorld(onTestFinished, {
      rpc: patienceWith(what),
      before: ([node]) => node!.faults.add(fault),
    });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('a service that starts without its node', () => {
  test('settles as soon as the node is there', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { before: ([node]) => node!.down() });
    expect(await world.verify(world.payment())).toMatchObject({ invalidReason: 'unexpected_verify_error' });
    expect(await world.settle(world.payment())).toMatchObject({ errorReason: 'unexpected_verify_error' });
    await expectRecovery(world);
  });
});

describe.concurrent('a node that goes down', () => {
  test('after it has the transaction: the end is unknown until it is back, and then it is learned', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, BRIEF);
    world.stopLedgers();
    const settled = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    await world.node.down();
    world.startLedgers();
    expect((await settled).errorMessage).toContain('not known yet');
    expect(world.logged()).toContain('RPC node rests: it failed several times in a row');
    await expectRecovery(world);
    expect(world.logged()).toContain('RPC node is back');
  });

  test('and comes back within the answer’s time loses no payment', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.stopLedgers();
    const settled = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    await world.node.down();
    world.startLedgers();
    await until('it is looked for in vain', () => world.logged().includes('fault while settling'));
    await world.node.up();
    expect(await settled).toMatchObject({ success: true });
    await expectTruth(world);
  });
});
