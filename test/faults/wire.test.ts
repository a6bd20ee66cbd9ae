import { describe, expect, test, vi } from 'vitest';
import { patienceWith } from './kinds.ts';
import { expectRecovery } from './truth.ts';
import { BROKEN, SOUND } from './wires.ts';
import { useWorlds } from './world.ts';

vi.setConfig({ maxConcurrency: 20, testTimeout: 60_000 });
const openWorld = useWorlds();

/** How many calls of each method a broken connection strikes. */
const STRIKES = 2;
const METHODS = ['getTransaction', 'sendTransaction', 'simulateTransaction'];

describe.concurrent('a payment is settled through a node that', () => {
  test.for(Object.keys(SOUND))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    world.node.wire = () => SOUND[what];
    expect(await world.verify(world.payment())).toMatchObject({ isValid: true });
    expect(await world.settle(world.payment())).toMatchObject({ success: true });
    await expectRecovery(world);
  });
});

describe.concurrent('every answer is true, and the end is known soon, where a node', () => {
  test.for(Object.keys(BROKEN))('%s', async (what, { onTestFinished }) => {
    const world = await openWorld(onTestFinished, {
      submitters: 2,
      ...(what === 'drips its answer' && { rpc: patienceWith('hangs') }),
    });
    const strikes: Record<string, number> = {};
    world.node.wire = (method) => {
      strikes[method] = (strikes[method] ?? 0) + 1;
      return strikes[method] <= STRIKES ? BROKEN[what] : undefined;
    };
    for (let round = 0; round < 2; round++)
      await Promise.all(Array.from({ length: STRIKES }, () => world.settle(world.payment())));
    expect(Object.keys(strikes)).toEqual(expect.arrayContaining(METHODS));
    await expectRecovery(world);
  });
});
