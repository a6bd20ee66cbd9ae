/** A service that is started again and again, each time with other faults around it, to be killed at any moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/faults.ts';
import type { Network } from '../../sandbox/network.ts';
import type { Random } from '../catalog/random.ts';
import { openNode } from '../world/httpNode.ts';
import { chooseMoment, type Happening, type Moment } from './moments.ts';
import { clockOffBy, startService, type ServiceProcess } from './process.ts';

/**
 * What is wrong with the clocks of the processes, one after the other: they go backwards, too. By less than a day: answers
 * under keys are kept that long.
 */
const CLOCKS_OFF_BY_MS = [0, 600_000, 0, -600_000, -82_800_000];
/** A moment that has not come so long after the process listens is passed over: it is killed anyway. */
const LATEST_KILL_MS = 1_500;
const FIRST_START_MS = 1_000;
/** Of the submissions, those that reach the network late, maybe long after the process is dead: in every third process. */
const SHARE_LATE = 0.6;
const LATEST_ARRIVAL_MS = 5_000;

/** What may go wrong around one call; none is added in half of the rounds. */
const FAULTS: readonly Fault[] = [
  { kind: 'lostAnswer', methods: ['sendTransaction'] },
  { kind: 'lostAnswer', methods: ['sendTransaction'] },
  { kind: 'delay', ms: 150, methods: ['sendTransaction'] },
  { kind: 'delay', ms: 40, methods: ['sendTransaction'] },
  { kind: 'wrongJson', methods: ['sendTransaction'] },
  { kind: 'httpStatus', status: 502, methods: ['sendTransaction'] },
  { kind: 'sendStatus', status: 'TRY_AGAIN_LATER' },
  { kind: 'sendStatus', status: 'ERROR', result: 'txBadSeq' },
  { kind: 'repeat', methods: ['sendTransaction'] },
  { kind: 'lostAnswer', methods: ['getTransaction'] },
  { kind: 'notFound' },
  { kind: 'delay', ms: 80, methods: ['getTransaction'] },
  { kind: 'lostAnswer', methods: ['simulateTransaction'] },
];
const MOST_FAULTS = 4;

export interface Victim {
  /** Says that something has happened in the life of the process. */
  happens(what: Happening): void;
  /** Starts the next process. Every other one of each kind meets faults. */
  start(env: Record<string, string>): ServiceProcess;
  /** Returns a moment in the life of the process that starts next. */
  nextMoment(): Moment;
  /** Calls `end` at the moment, at once when it comes, or when it has not come for long. Not if the process ends before. */
  at(moment: Moment, end: () => void, latestMs?: number): Promise<void>;
  /** Counts the processes so far. */
  starts(): number;
  /** Ends the faults around the process that runs. */
  calm(): void;
  close(): Promise<void>;
}

export async function openVictim({ network, random }: { network: Network; random: Random }): Promise<Victim> {
  let hear: (what: Happening) => void = () => {};
  let [starts, startMs] = [0, FIRST_START_MS];
  let living: ServiceProcess | undefined;
  const happens = (what: Happening): void => hear(what);
  const node = await openNode(network);
  node.onCall = async (method) => {
    happens(`call ${method}`);
    if (method === 'sendTransaction' && starts % 3 === 0 && random.next() < SHARE_LATE)
      await sleep(random.next() * LATEST_ARRIVAL_MS);
  };
  node.onEffect = (method) => happens(`effect ${method}`);

  return {
    happens,
    starts: () => starts,
    calm: () => node.faults.clear(),
    close: () => node.down(),
    nextMoment: () => chooseMoment(random, startMs),

    start(env) {
      starts += 1;
      node.faults.clear();
      for (let count = starts % 4 < 2 ? 0 : 1 + random.below(MOST_FAULTS); count > 0; count -= 1)
        node.faults.add({ ...random.pick(FAULTS), times: 1 + random.below(2) });
      const clock = clockOffBy(CLOCKS_OFF_BY_MS[starts % CLOCKS_OFF_BY_MS.length]!);
      const startedAtMs = performance.now();
      const service = startService({ ...clock, RPC_URL: node.url, ...env });
      living = service;
      service.url.then(
        () => {
          startMs = performance.now() - startedAtMs;
          happens('listening');
        },
        () => {},
      );
      return service;
    },

    async at({ since, after, nth, delayMs }, end, latestMs = LATEST_KILL_MS) {
      const { promise: isTime, resolve } = Promise.withResolvers<'ended' | void>();
      const timers: NodeJS.Timeout[] = [];
      const resolveAfter = (ms: number): void => void timers.push(setTimeout(resolve, ms));
      let [isCounting, times] = [false, 0];
      hear = (what) => {
        isCounting ||= what === since;
        if (what === 'listening') resolveAfter(latestMs);
        if (!isCounting || what !== after || (times += 1) !== nth) return;
        // At once: before the answer to a call leaves.
        if (delayMs > 0) return resolveAfter(delayMs);
        hear = () => {};
        end();
        resolve('ended');
      };
      // Otherwise a moment of this process could come in the life of the next one.
      void living?.ended.then(() => resolve('ended'));
      hear('start');
      const isEnded = (await isTime) === 'ended';
      timers.forEach(clearTimeout);
      hear = () => {};
      if (!isEnded) end();
    },
  };
}

const OWN_FAULTS =
  /^(the journal failed|cataloging failed|fault$|server error|start failed|listings are lost|.* it is built again)/;

/** Throws if the service logged a fault of its own, whatever happened around it. Some come from what is done to it. */
export function refuseFaults(service: ServiceProcess, isExpected: (err: unknown) => boolean): void {
  const faults = service.logged().filter(({ msg, err }) => OWN_FAULTS.test(String(msg)) && !isExpected(err));
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
}
