import { describe, expect, test, vi } from 'vitest';
import { FAULTS, patienceWith, UNHURRIED } from './kinds.ts';
import type { HttpNode } from '../world/httpNode.ts';
import { sample } from '../support/sample.ts';
import { expectRecovery, expectTruth } from './truth.ts';
import { until, useWorlds, type World } from './world.ts';

vi.setConfig({ maxConcurrency: 20, testTimeout: 60_000 });
const openWorld = useWorlds();

const METHODS = [
  'simulateTransaction',
  'getFeeStats',
  'sendTransaction',
  'getTransaction',
  'getLedgerEntries',
  'getNetwork',
];
const RESTS = 'RPC node rests: it failed several times in a row';
const BACK = 'RPC node is back';

const calls = (node: HttpNode) => Object.values(node.calls.counts()).reduce((sum, count) => sum + count, 0);
const settleThree = async (world: World) => {
  const answers = await Promise.all(Array.from({ length: 3 }, () => world.settle(world.payment())));
  return answers.map((answer) => (answer.success ? 'settled' : answer.errorReason));
};
const allSettled = ['settled', 'settled', 'settled'];

describe.concurrent('where the first of two nodes does this to each call, the second one carries the payments:', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      nodes: 2,
      submitters: 3,
      settle: UNHURRIED,
      rpc: patienceWith(what),
    });
    world.node.faults.add(FAULTS[what]!);
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await settleThree(world)).toEqual(allSettled);
    expect(world.logged()).toContain(RESTS);
    await expectRecovery(world);
    await until('it is back', () => {
      void world.verify(world.payment());
      return world.logged().includes(BACK);
    });
  });
});

describe.concurrent('where the first of two nodes does this to one method only, all payments settle:', () => {
  // A sample has each fault, and each method.
  const cases = Object.keys(FAULTS)
    .flatMap((what) => METHODS.map((method) => [what, method] as const))
    .filter((_, at) => at % sample(8, 1) === 0);
  test.for(cases)('%s (%s)', async ([what, method], { onTestFinished }) => {
    const fault = { ...FAULTS[what]!, methods: [method] };
    const world = await openWorld(onTestFinished, {
      nodes: 2,
      settle: UNHURRIED,
      rpc: patienceWith(what),
      before: ([node]) => node!.faults.add(fault),
    });
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('where all nodes do this to each submission, every answer is true:', () => {
  test.for(Object.keys(FAULTS))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 3, rpc: patienceWith(what) });
    for (const node of world.nodes) node.faults.add({ ...FAULTS[what]!, methods: ['sendTransaction'] });
    await world.settle(world.payment());
    await expectRecovery(world);
  });
});

describe.concurrent('of several nodes', () => {
  test('one that is down at the start is not missed, and is used when it is up', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, {
      nodes: 2,
      settle: UNHURRIED,
      before: ([node]) => node!.down(),
    });
    expect(await settleThree(world)).toEqual(allSettled);
    await expectRecovery(world);
    const before = calls(world.node);
    await until('it is asked', async () => {
      await world.verify(world.payment());
      return calls(world.node) > before;
    });
  });

  test('one that goes down with the transaction is not missed: another one knows the end', async ({
    onTestFinished,
  }) => {
    const world = await openWorld(onTestFinished, { nodes: 2, settle: UNHURRIED });
    world.stopLedgers();
    const settled = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    await world.node.down();
    world.startLedgers();
    expect(await settled).toMatchObject({ success: true });
    await expectRecovery(world);
  });

  test('one knows the result and the other does not: the payment is settled', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 2, settle: UNHURRIED });
    world.node.faults.add({ kind: 'notFound' });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });

  test('all go down and come back: no payment is lost or paid twice', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 3, submitters: 3, settle: UNHURRIED });
    const settled = settleThree(world);
    await until('all are sent', () => world.node.calls.counts()['sendTransaction'] === 3);
    await Promise.all(world.nodes.map((node) => node.down()));
    const refused = await world.settle(world.payment());
    expect(refused).toMatchObject({ errorReason: 'unexpected_verify_error' });
    await Promise.all(world.nodes.map((node) => node.up()));
    expect(await settled).toEqual(allSettled);
    await expectRecovery(world);
  });

  test('each fails in its turn, and payments go on', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, { nodes: 3, submitters: 3, settle: UNHURRIED });
    for (const node of world.nodes) {
      await node.down();
      expect(await settleThree(world)).toEqual(allSettled);
      await node.up();
    }
    await expectRecovery(world);
  });

  test('a hanging one costs its time once per rest, not once per payment', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      nodes: 2,
      rpc: { ...patienceWith('hangs'), minRestMs: 60_000, maxRestMs: 60_000 },
    });
    world.node.faults.add({ kind: 'hang' });
    await Promise.all(Array.from({ length: 5 }, () => world.verify(world.payment())));
    world.node.calls.reset();
    for (let nth = 0; nth < 5; nth++)
      expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(calls(world.node)).toBe(0);
    await expectTruth(world);
  });
});
