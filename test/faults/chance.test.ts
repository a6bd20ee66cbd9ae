import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Fault } from '../../sandbox/faults.ts';
import { createRandom, type Random } from '../catalog/random.ts';
import { sample } from '../support/sample.ts';
import { FAULTS, LIES } from './kinds.ts';
import { expectRecovery } from './truth.ts';
import { BROKEN, cutAt, SOUND } from './wires.ts';
import { until, useWorlds, type World } from './world.ts';

/** More of both by the environment: FAULT_SEED=7 FAULT_PAYMENTS=3000 npx vitest run test/faults/chance.test.ts */
const SEED = Number(process.env['FAULT_SEED'] ?? 20_261_121);
const PAYMENTS = Number(process.env['FAULT_PAYMENTS'] ?? sample(50, 250));
console.log(`seed of the faults by chance: ${SEED}`);

vi.setConfig({ testTimeout: 60_000 + 200 * PAYMENTS });
const openWorld = useWorlds();

const SUBMITTERS = 10;
const AT_ONCE = 25;
/** Of the calls, in a storm. */
const BROKEN_SHARE = 0.25;
const LONGEST_EPISODE_MS = 700;

const kinds: Fault[] = [
  ...Object.values(FAULTS),
  { kind: 'repeat' },
  { kind: 'notFound' },
  { kind: 'delay', ms: 300 },
  { kind: 'sendStatus', status: 'TRY_AGAIN_LATER' },
  { kind: 'sendStatus', status: 'DUPLICATE' },
  { kind: 'sendStatus', status: 'PENDING' },
  { kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq' },
  { kind: 'sendStatus', status: 'ERROR', result: 'txTooLate' },
];
const wires = [...Object.values(BROKEN), ...Object.values(SOUND)];

/** Faults come and go until `isOver`. */
async function storm(world: World, random: Random, isOver: () => boolean): Promise<void> {
  const strike = () => {
    if (random.next() > BROKEN_SHARE) return undefined;
    return random.next() < 0.3 ? cutAt(random.next()) : random.pick(wires);
  };
  const episodes = [
    async () => world.stopLedgers(),
    async () => random.pick(world.nodes).down(),
    async () => void Promise.all(world.nodes.map((node) => node.down())),
    async () => random.pick(world.nodes).faults.add({ ...random.pick(kinds), times: 1 + random.below(10) }),
    async () => random.pick(world.nodes).faults.add(random.pick(kinds)),
    async () => random.pick(world.nodes).faults.add({ ...random.pick(LIES), times: 1 }),
    async () => random.pick(world.nodes).faults.add({ ...random.pick(LIES), times: 1 }),
    async () => {
      for (const node of world.nodes) node.wire = strike;
    },
  ];
  while (!isOver()) {
    for (let count = 1 + random.below(3); count > 0; count--) await random.pick(episodes)();
    await sleep(random.below(LONGEST_EPISODE_MS));
    await world.mend();
    await sleep(random.below(LONGEST_EPISODE_MS));
  }
}

describe('whatever happens to calls, nodes and ledgers, each answer is true and each fee is paid once', () => {
  test.for([1, 3])('(%i nodes)', async (nodes, { onTestFinished }) => {
    const random = createRandom(SEED + nodes);
    const timersBefore = timers();
    const world = await openWorld(onTestFinished, { nodes, submitters: SUBMITTERS });
    let left = PAYMENTS;
    const blowing = storm(world, random, () => left <= 0);
    const customer = async () => {
      while (left-- > 0) {
        const payment = world.payment();
        if (random.next() < 0.1) await world.verify(payment);
        const asked = random.next() < 0.1 ? 2 : 1;
        const [answer] = await Promise.all(Array.from({ length: asked }, () => world.settle(payment)));
        // Where all nodes are down, all payments would be refused within a moment.
        if (answer?.errorReason === 'unexpected_verify_error') await sleep(random.below(300));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, customer));
    await blowing;
    await expectRecovery(world);

    const { ledger, payments } = world.facts();
    const paid = ledger.filter(({ status }) => status === 'success').length;
    console.log(`${nodes} nodes: ${payments.length} payments, ${paid} paid`);
    expect(paid).toBeGreaterThan(payments.length / 10);
    await world.close();
    await until('no connection is left', async () => {
      const open = await Promise.all(world.nodes.map((node) => node.connections()));
      return open.every((count) => count === 0);
    });
    world.stopLedgers();
    await until('no timer is left', () => timers() <= timersBefore);
  });
});

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
