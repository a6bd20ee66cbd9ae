import { afterEach, describe, expect, test, vi } from 'vitest';
import { expectRecovery } from './truth.ts';
import { until, useWorlds } from './world.ts';

vi.setConfig({ testTimeout: 60_000 });
const openWorld = useWorlds();

const TEN_MINUTES_MS = 600_000;
/** What no jump of this machine's clock moves. */
const networkNow = () => performance.timeOrigin + performance.now();
const setClock = (offMs: number) => vi.spyOn(Date, 'now').mockImplementation(() => networkNow() + offMs);

afterEach(() => vi.restoreAllMocks());

describe.each([
  ['ahead', TEN_MINUTES_MS],
  ['behind', -TEN_MINUTES_MS],
])('where this machine is ten minutes %s', (_where, offMs) => {
  test('payments settle', async ({ onTestFinished }) => {
    setClock(offMs);
    const world = await openWorld(onTestFinished, { now: networkNow });
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });

  test('a service that starts without its RPC settles once that is there', async ({ onTestFinished }) => {
    setClock(offMs);
    const world = await openWorld(onTestFinished, { now: networkNow, before: ([node]) => node!.down() });
    await expectRecovery(world);
  });

  test('a transaction that is lost is given up in its time, and the payment settles', async ({
    onTestFinished,
  }) => {
    setClock(offMs);
    const world = await openWorld(onTestFinished, { now: networkNow });
    world.node.faults.add({ kind: 'sendStatus', status: 'PENDING', times: 1 });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.each([
  ['forwards', 0, TEN_MINUTES_MS],
  ['backwards', 0, -TEN_MINUTES_MS],
  ['back to where it was', TEN_MINUTES_MS, 0],
])('where this machine’s clock jumps %s', (_whither, fromMs, toMs) => {
  test('between a submission and its ledger, the payment settles', async ({ onTestFinished }) => {
    setClock(fromMs);
    const world = await openWorld(onTestFinished, { now: networkNow });
    world.stopLedgers();
    const settled = world.settle(world.payment());
    await until('it is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    setClock(toMs);
    world.startLedgers();
    expect(await settled).toMatchObject({ success: true });
    await expectRecovery(world);
  });

  test('while a payment waits for a submitter, both settle', async ({ onTestFinished }) => {
    setClock(fromMs);
    const world = await openWorld(onTestFinished, { now: networkNow });
    world.stopLedgers();
    const settled = [world.settle(world.payment()), world.settle(world.payment())];
    await until('one is sent', () => world.node.calls.counts()['sendTransaction'] === 1);
    setClock(toMs);
    world.startLedgers();
    expect(await Promise.all(settled)).toMatchObject([{ success: true }, { success: true }]);
    await expectRecovery(world);
  });

  test('while a node rests, it is back in its time', async ({ onTestFinished }) => {
    setClock(fromMs);
    const world = await openWorld(onTestFinished, { now: networkNow, nodes: 2 });
    world.node.faults.add({ kind: 'httpStatus', status: 502 });
    await until('it rests', async () => {
      await world.verify(world.payment());
      return world.logged().includes('RPC node rests: it failed several times in a row');
    });
    setClock(toMs);
    world.node.faults.clear();
    await until('it is back', async () => {
      await world.verify(world.payment());
      return world.logged().includes('RPC node is back');
    });
    await expectRecovery(world);
  });
});

describe('where the clocks of network and machine differ by ten minutes', () => {
  test.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])('(%i ms) payments settle', async (offMs) => {
    const finished: (() => void | Promise<void>)[] = [];
    const world = await openWorld((close) => finished.push(close), { now: () => networkNow() + offMs });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
    for (const close of finished.reverse()) await close();
  });
});
