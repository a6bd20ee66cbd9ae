import { setTimeout as pause } from 'node:timers/promises';
import { openField, SIDES, type Pair, type Servers } from './field.ts';
import { LEDGER_MS } from './network.ts';
import { startChild, type Child } from './processes.ts';
import { say } from './progress.ts';
import { goal, type Measure, type Result } from './results.ts';
import type { LoopDelay, Memory } from './servers/child.ts';
import { drive, newTraffic, SETTLES_PER_SECOND, VERIFIES_PER_SECOND, type Traffic } from './soak/traffic.ts';
import { median, percentile, sum } from './statistics.ts';
import { shown } from './table.ts';

const DEFAULT_MINUTES = 10;
const REHEARSAL_MINUTES = 0.5;
const SUBMITTERS = 20;
const CONNECTIONS = 64;
/** Looks at the memory, evenly over the time; the first tenth of the time is warm-up. */
const SAMPLES = 27;
const WARM_UP_SHARE = 0.1;
const LOOP_GOAL_MS = 20;
/** Growth from the first third to the last that is still called flat. */
const FLAT = 1.05;

/** Steady traffic for both servers at the same time: memory and event-loop delay. */
export async function benchSoak(isRehearsal: boolean, minutes = DEFAULT_MINUTES): Promise<Result> {
  const durationMs = (isRehearsal ? REHEARSAL_MINUTES : minutes) * 60_000;
  await using field = await openField({ ledgerMs: LEDGER_MS });
  await using servers = await field.startServers({ submitters: SUBMITTERS, connections: CONNECTIONS });
  await using idle = await startChild('idle.ts', {});
  const traffic: Pair<Traffic> = { ours: newTraffic(), peer: newTraffic() };
  const stop = new AbortController();
  const driven = Promise.all(
    SIDES.map((side) => drive(servers[side], field.payments, traffic[side], stop.signal)),
  );
  // Until it is told to stop, traffic ends only by failing.
  const { samples, loop, idleLoop } = await Promise.race([
    watch(servers, idle, traffic, durationMs),
    driven.then(neverEnds),
  ]);
  stop.abort();
  say('soak: waiting for the last settlements');
  await driven;
  return {
    name: 'soak',
    notes: [
      `${shown(durationMs / 60_000)} minutes of ${VERIFIES_PER_SECOND} verifies and ${SETTLES_PER_SECOND} settlements per second for each of the two servers, both at the same time, with ${SUBMITTERS} submitters each and ledgers of ${LEDGER_MS / 1000} s, after a warm-up of a tenth of it. This service runs on Koa with its files on disk, the peer on Fastify.`,
      `Heap and RSS are medians of looks after forced garbage collections. The delay of the event loop is what perf_hooks measures at intervals of 10 ms, without the interval and without the forced collections; a process beside them that does nothing had a p99 of ${shown(idleLoop.p99)} ms and ${shown(idleLoop.max)} ms at most.`,
      'One sandbox network in a process of its own serves both.',
    ],
    sections: [
      { title: 'Event-loop delay', measures: loopMeasures(loop) },
      { title: 'Memory', measures: memoryMeasures(samples) },
      { title: 'Traffic', measures: trafficMeasures(traffic) },
    ],
    goals: goals({ loop: loop.ours, idleLoop, samples: samples.ours, traffic: traffic.ours }),
  };
}

const neverEnds = (): never => {
  throw new Error('the traffic has ended');
};

interface Watched {
  /** In their order. */
  samples: Pair<Memory[]>;
  loop: Pair<LoopDelay>;
  idleLoop: LoopDelay;
}

async function watch(
  servers: Servers,
  idle: Child<unknown>,
  traffic: Pair<Traffic>,
  durationMs: number,
): Promise<Watched> {
  say(`soak: warm-up of ${Math.round((durationMs * WARM_UP_SHARE) / 1000)} s`);
  await pause(durationMs * WARM_UP_SHARE);
  for (const side of SIDES) await servers[side].watchLoop();
  await idle.ask('watchLoop');
  const samples: Pair<Memory[]> = { ours: [], peer: [] };
  for (let look = 1; look <= SAMPLES; look++) {
    await pause((durationMs * (1 - WARM_UP_SHARE)) / SAMPLES);
    for (const side of SIDES) samples[side].push(await servers[side].memory());
    for (const side of SIDES) {
      const { heapBytes, rssBytes } = samples[side].at(-1)!;
      const { p99, max } = await servers[side].loopDelay();
      const refused = JSON.stringify(traffic[side].refusals);
      say(
        `soak: ${look} of ${SAMPLES}, ${servers[side].name}: heap ${mib(heapBytes)}, RSS ${mib(rssBytes)} MiB, loop delay p99 ${shown(p99)}, at most ${shown(max)} ms; refused ${refused}`,
      );
    }
  }
  const loop = { ours: await servers.ours.loopDelay(), peer: await servers.peer.loopDelay() };
  return { samples, loop, idleLoop: await idle.ask<LoopDelay>('loopDelay') };
}

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const firstThird = <Item>(items: readonly Item[]): Item[] => items.slice(0, Math.floor(items.length / 3));
const lastThird = <Item>(items: readonly Item[]): Item[] => items.slice(-Math.floor(items.length / 3));

function loopMeasures({ ours, peer }: Pair<LoopDelay>): Measure[] {
  const measure = (name: string, of: keyof LoopDelay): Measure => ({
    name,
    ours: [ours[of]],
    peer: [peer[of]],
  });
  return [measure('p50, ms', 'p50'), measure('p99, ms', 'p99'), measure('at most, ms', 'max')];
}

function memoryMeasures({ ours, peer }: Pair<Memory[]>): Measure[] {
  const measure = (name: string, of: keyof Memory, part: typeof firstThird): Measure => ({
    name,
    ours: part(ours).map((memory) => memory[of] / 2 ** 20),
    peer: part(peer).map((memory) => memory[of] / 2 ** 20),
  });
  return [
    measure('heap in the first third, MiB', 'heapBytes', firstThird),
    measure('heap in the last third, MiB', 'heapBytes', lastThird),
    measure('RSS in the first third, MiB', 'rssBytes', firstThird),
    measure('RSS in the last third, MiB', 'rssBytes', lastThird),
  ];
}

const refused = ({ refusals }: Traffic): number => sum(Object.values(refusals));

function trafficMeasures({ ours, peer }: Pair<Traffic>): Measure[] {
  const measure = (name: string, value: (traffic: Traffic) => number): Measure => ({
    name,
    ours: [value(ours)],
    peer: [value(peer)],
  });
  return [
    measure('verifies', ({ verifyMs }) => verifyMs.length),
    measure('verify p50, ms', ({ verifyMs }) => percentile(verifyMs, 50)),
    measure('verify p99, ms', ({ verifyMs }) => percentile(verifyMs, 99)),
    measure('settlements', ({ settleMs }) => settleMs.length),
    measure('settle p50, s', ({ settleMs }) => percentile(settleMs, 50) / 1000),
    measure('settle p99, s', ({ settleMs }) => percentile(settleMs, 99) / 1000),
    measure('refused, though good', refused),
    measure('payments left out for want of room', ({ leftOut }) => leftOut),
  ];
}

interface Judged {
  loop: LoopDelay;
  idleLoop: LoopDelay;
  samples: readonly Memory[];
  traffic: Traffic;
}

function goals({ loop: { p99 }, idleLoop, samples, traffic }: Judged): Result['goals'] {
  const growth = (of: keyof Memory): number =>
    median(lastThird(samples).map((memory) => memory[of])) /
    median(firstThird(samples).map((memory) => memory[of]));
  const [heap, rss] = [growth('heapBytes'), growth('rssBytes')];
  const limit = `at most × ${FLAT} from the first third to the last`;
  return [
    goal(
      `event-loop delay p99 under ${LOOP_GOAL_MS} ms`,
      `${shown(p99)} ms; of an idle process ${shown(idleLoop.p99)} ms`,
      p99 < LOOP_GOAL_MS,
    ),
    goal(`heap flat: ${limit}`, `× ${shown(heap)}`, heap <= FLAT),
    goal(`RSS flat: ${limit}`, `× ${shown(rss)}`, rss <= FLAT),
    goal('no good payment refused', `${refused(traffic)} refused`, refused(traffic) === 0),
  ];
}
