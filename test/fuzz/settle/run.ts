import { checkEnd } from './end.ts';
import { reachedIn, type Reached } from './reached.ts';
import type { Sabotage } from './serviceProcess.ts';
import type { SharedDatabase } from './sharedDatabase.ts';
import type { Schedule, Step } from './steps.ts';
import { takeOverTime, type VirtualTime } from './virtualTime.ts';
import { createWorld, type World } from './world.ts';

export interface Failure {
  readonly complaint: string;
  /** The number of the step after which it was seen; the number of steps where the end shows it. */
  readonly step: number;
}

export interface Outcome {
  readonly failure?: Failure;
  readonly reached: Reached;
}

/** A service, or a network, that is broken on purpose. */
export interface Broken {
  readonly sabotage?: Sabotage;
  /** What happens on the network after each step, which nobody has asked for. */
  readonly meddle?: (world: World) => void;
}

/** So many payments are recent ones. */
const RECENT = 5;
const START_MS = Date.UTC(2026, 6, 1);

/**
 * Runs a schedule on a new network, from its first step to the end of all that it began. With a `shared` database, there
 * are several instances.
 */
export async function run(
  schedule: Schedule,
  { sabotage, meddle }: Broken = {},
  shared?: SharedDatabase,
): Promise<Outcome> {
  using time = takeOverTime(START_MS);
  using world = createWorld(time, sabotage, shared);
  await shared?.reset(time, world.submitters);
  using _rejections = complainOfRejections(world);
  let step = 0;
  const tell = (at: number): void => void (step = at);
  await play(world, time, schedule, { meddle, tell }).catch((error: unknown) => {
    world.complain(`the schedule cannot go on: ${error instanceof Error ? error.stack : String(error)}`);
  });
  const complaint = world.complaint();
  const reached = reachedIn(world);
  return complaint === undefined ? { reached } : { reached, failure: { complaint, step } };
}

/** Ends with the first complaint. */
async function play(
  world: World,
  time: VirtualTime,
  { start, steps }: Schedule,
  { meddle, tell }: { meddle: Broken['meddle']; tell: (step: number) => void },
): Promise<void> {
  for (const instance of world.instances) await world.start(start, instance);
  for (const [index, step] of steps.entries()) {
    tell(index);
    await take(world, time, step);
    meddle?.(world);
    world.checkTimes();
    if (world.complaint() !== undefined) return;
  }
  tell(steps.length);
  await checkEnd(world, time, start);
}

async function take(world: World, time: VirtualTime, step: Step): Promise<void> {
  const { payments, pay } = world.customers;
  const chosen = ({ payment: nth, isRecent }: { payment: number; isRecent: boolean }) =>
    payments.at(isRecent ? -1 - (nth % Math.min(RECENT, payments.length)) : nth % payments.length);
  const instance = world.instances[step.instance ?? 0]!;
  switch (step.do) {
    case 'pay':
      world.settle(pay(step.terms), instance);
      return;
    case 'pay at once':
      for (let nth = 0; nth < step.times; nth += 1) world.settle(pay(step.terms), instance);
      return;
    case 'settle again': {
      const payment = chosen(step);
      // Where there are several instances: at one after the other.
      const { instances } = world;
      const from = step.instance ?? 0;
      if (payment)
        for (let nth = 0; nth < step.times; nth += 1)
          world.settle(payment, instances[(from + nth) % instances.length]);
      return;
    }
    case 'verify': {
      const payment = chosen(step);
      if (payment) world.verify(payment, instance);
      return;
    }
    case 'fund':
      return world.fund(step.payer, step.asset, step.tenths);
    case 'pass':
      return time.pass(step.ms);
    case 'ledgers':
      for (let nth = 0; nth < step.count; nth += 1) {
        await time.pass(step.everyMs);
        world.closeLedger();
      }
      return;
    case 'trouble':
      for (const { node, trouble } of step.troubles) world.trouble(node, trouble);
      return;
    case 'heal':
      return world.heal();
    case 'catalog fails':
      return world.failCatalog(step.when, step.times);
    case 'kill':
      if (step.at === 'now') instance.service?.kill(step.arrives);
      else instance.service?.killAt(step.at, step.arrives);
      return;
    case 'start':
      await world.stop(step.drains, instance);
      return world.start(step.start, instance);
    case 'pay everywhere': {
      const payment = pay(step.terms);
      for (const each of world.instances) world.settle(payment, each);
      return;
    }
    case 'pause':
      return world.pause(instance, step.ms);
    case 'statements fail':
      return world.failDatabase(instance, step.fault, step.times);
    case 'database':
      if (step.isDown) world.shared?.down();
      else world.shared?.up();
      return;
  }
}

/** Whatever nobody handles is a complaint; nobody else hears of it. */
function complainOfRejections(world: World): Disposable {
  const others = process.listeners('unhandledRejection');
  const listener = (reason: unknown): void => world.complain(`an unhandled rejection: ${String(reason)}`);
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', listener);
  return {
    [Symbol.dispose]() {
      process.off('unhandledRejection', listener);
      for (const other of others) process.on('unhandledRejection', other);
    },
  };
}
