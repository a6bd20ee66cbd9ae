import { describe, expect, test, vi } from 'vitest';
import { AMOUNT } from '../support/payments.ts';
import { refusalOf, says } from './kinds.ts';
import { expectTruth } from './truth.ts';
import { useWorlds, type World } from './world.ts';

vi.setConfig({ testTimeout: 60_000 });
const openWorld = useWorlds();

/** As behind a proxy that asks again after the ledger: what was taken is answered with a sequence number that was used. */
function rejectWhatWasTaken(world: World): void {
  world.stopLedgers();
  const reject = (): ReturnType<typeof refusalOf> => {
    world.network.closeLedger();
    world.startLedgers();
    return refusalOf('txBadSeq');
  };
  world.node.faults.add(says('sendTransaction', reject, 1));
}

describe('a rejection that no node confirms is waited out: what was paid is called paid', () => {
  test('where the node does not answer when it is asked', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    rejectWhatWasTaken(world);
    world.node.faults.add({ kind: 'httpStatus', status: 429, methods: ['getTransaction'], times: 1 });
    const payment = world.payment();
    expect(await world.settle(payment)).toMatchObject({ success: true });
    expect(world.network.balances(payment.payTo).usdc).toBe(AMOUNT);
    await expectTruth(world);
  });

  test('where the node that is asked lags behind', async ({ onTestFinished }) => {
    const world = await openWorld(onTestFinished);
    rejectWhatWasTaken(world);
    const lagging = says(
      'getTransaction',
      (result) => ({
        status: 'NOT_FOUND',
        latestLedger: result['latestLedger'] - 1,
        latestLedgerCloseTime: result['latestLedgerCloseTime'],
        oldestLedger: result['oldestLedger'],
        oldestLedgerCloseTime: result['oldestLedgerCloseTime'],
      }),
      1,
    );
    world.node.faults.add(lagging);
    const payment = world.payment();
    expect(await world.settle(payment)).toMatchObject({ success: true });
    expect(world.network.balances(payment.payTo).usdc).toBe(AMOUNT);
    await expectTruth(world);
  });
});

test('a node that is busy for ever leaves the payment to the next one', async ({ onTestFinished }) => {
  const world = await openWorld(onTestFinished, { nodes: 2 });
  world.node.faults.add({ kind: 'sendStatus', status: 'TRY_AGAIN_LATER' });
  expect(await world.settle(world.payment())).toMatchObject({ success: true });
  await expectTruth(world);
});
