/** One of several instances in a process of its own, which is killed, paused, stopped and started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../sandbox/network.ts';
import type { Random } from '../catalog/random.ts';
import type { Happening, Moment } from '../kill/moments.ts';
import type { ServiceProcess } from '../kill/process.ts';
import { openVictim, refuseFaults } from '../kill/victim.ts';
import { endsWithin } from '../support/endsWithin.ts';
import { openWiretap } from './wiretap.ts';

/** How the life of a process ends. 'no start' if the database was not there when it started. */
export type End = 'kill' | 'kill while paused' | 'stop' | 'no start';

export interface Life {
  readonly moment: Moment;
  readonly end: End;
  readonly pausedMs: number;
  readonly wasListening: boolean;
}

/** Of the lives, those that are paused, some until they are killed, and those that end by SIGTERM. */
const SHARE_PAUSED = 0.2;
const SHARE_KILLED_PAUSED = 0.25;
const SHARE_STOPPED = 0.12;
/** Pauses, in milliseconds: some are longer than a lease, which runs out after 8 s. */
const PAUSES_MS = [300, 2_000, 9_000, 13_000];
/** Of the moments that would come while a process starts, those that come while it listens instead. */
const SHARE_LATER = 0.6;
/** How long a process that listens lives before its moment may come, and how long at most after that. */
const PEACE_MS = [0, 0, 1_000, 4_000];
const LATEST_END_MS = 3_000;
/** Of the writes to the database, those whose answer is lost. */
const SHARE_LOST = 0.01;
/** Longer than any start, pause and drain together. */
const LONGEST_LIFE_MS = 150_000;

export interface Mortal {
  /** Where it listens; undefined while it does not. */
  url(): string | undefined;
  happens(what: Happening): void;
  /** Starts it, and ends it at a random moment. Rejects if it does not end as it was ended, or hangs. */
  live(): Promise<Life>;
  /** Starts it without faults around it. */
  start(): Promise<string>;
  /** Ends it by SIGTERM. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function openMortal(deps: {
  network: Network;
  random: Random;
  databaseUrl: string;
  /** For each start: the count of those before it. */
  env: (starts: number) => Record<string, string>;
}): Promise<Mortal> {
  const { network, random, databaseUrl, env } = deps;
  const victim = await openVictim({ network, random });
  let service: ServiceProcess | undefined;
  let url: string | undefined;
  let losesAnswers = true;
  const wiretap = await openWiretap(databaseUrl, (what) => {
    victim.happens(what);
    return losesAnswers && random.next() < SHARE_LOST;
  });

  function begin(): ServiceProcess {
    const started = victim.start({ DATABASE_URL: wiretap.url, ...env(victim.starts()) });
    service = started;
    started.url.then(
      (listening) => (url = listening),
      () => {},
    );
    void started.ended.then(() => (url = undefined));
    return started;
  }

  /** Throws if it ended otherwise than it was ended. */
  async function judge(ended: ServiceProcess, end: End): Promise<End> {
    const { code, signal, stderr } = await ended.ended;
    refuseFaults(ended, isUnavailable);
    // The kill may come between its last word and its exit.
    const isOver = code === 1 || signal === 'SIGKILL';
    if (isOver && stderr.startsWith('DATABASE_URL does not answer')) return 'no start';
    // A signal that comes before the first line of the program runs ends it as any other.
    const isStopped = code === 0 || (signal === 'SIGTERM' && ended.logged().length === 0);
    const isAsEnded = end === 'stop' ? isStopped : signal === 'SIGKILL';
    if (!isAsEnded || stderr !== '') throw new Error(`it ended by itself: ${code} ${signal} ${stderr}`);
    return end;
  }

  /** Ends it; nobody asks it any more from then on. */
  function end(living: ServiceProcess, signal: 'SIGKILL' | 'SIGTERM'): void {
    url = undefined;
    living.kill(signal);
  }

  function chooseMoment(): Moment {
    const moment = victim.nextMoment();
    return moment.since === 'start' && random.next() < SHARE_LATER ? chooseMoment() : moment;
  }

  /** Does something to it at the moment. */
  async function doAt(moment: Moment, living: ServiceProcess, work: () => void): Promise<void> {
    if (moment.since === 'listening') {
      await living.url;
      await sleep(random.pick(PEACE_MS) * random.next());
    }
    const signalled = victim.at(moment, work, LATEST_END_MS);
    if (moment.since === 'listening') victim.happens('listening');
    await signalled;
  }

  /** Pauses it at the moment. Returns for how long. */
  async function pause(moment: Moment, living: ServiceProcess): Promise<number> {
    await doAt(moment, living, () => living.kill('SIGSTOP'));
    const pausedMs = random.next() * random.pick(PAUSES_MS);
    await sleep(pausedMs);
    return pausedMs;
  }

  const unlessItHangs = <T>(work: Promise<T>, what: string): Promise<T> =>
    endsWithin(LONGEST_LIFE_MS, work, () => `${what} ${JSON.stringify(service?.logged().slice(-5))}`);

  async function live(moment: Moment): Promise<Life> {
    const chance = random.next();
    const isPaused = chance < SHARE_PAUSED;
    let how: End = chance > 1 - SHARE_STOPPED ? 'stop' : 'kill';
    let pausedMs = 0;
    const living = begin();
    const wasListening = living.url.then(
      () => true,
      () => false,
    );
    // Whatever was to be done to it: it may end before.
    const ended = living.ended.then(() => undefined);
    const unlessEnded = <T>(work: Promise<T>): Promise<T | undefined> =>
      Promise.race([work.catch(() => undefined), ended]);
    if (isPaused) {
      pausedMs = (await unlessEnded(pause(moment, living))) ?? 0;
      if (random.next() < SHARE_KILLED_PAUSED) how = 'kill while paused';
      else {
        living.kill('SIGCONT');
        await unlessEnded(sleep(random.next() * LATEST_END_MS));
      }
      end(living, 'SIGKILL');
    } else {
      const signal = how === 'stop' ? 'SIGTERM' : 'SIGKILL';
      await unlessEnded(doAt(moment, living, () => end(living, signal)));
    }
    return { moment, end: await judge(living, how), pausedMs, wasListening: await wasListening };
  }

  return {
    url: () => url,
    happens: (what) => victim.happens(what),

    live() {
      const moment = chooseMoment();
      return unlessItHangs(live(moment), JSON.stringify(moment));
    },

    async start() {
      losesAnswers = false;
      const started = begin();
      victim.calm();
      return unlessItHangs(started.url, 'a start');
    },

    async stop() {
      end(service!, 'SIGTERM');
      await unlessItHangs(judge(service!, 'stop'), 'a stop');
    },

    async close() {
      await victim.close();
      await wiretap.close();
    },
  };
}

const isUnavailable = (err: unknown): boolean =>
  (err as { type?: string } | undefined)?.type === 'DatabaseUnavailable';
