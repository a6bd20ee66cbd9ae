/** A process of the bench: it starts as it is told to, then answers questions about itself. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The settings of a measured server. */
export interface ServerSetup {
  rpcUrl: string;
  /** The URL that answers as the testnet's Horizon, for servers that ask it. */
  sandboxHttpsUrl: string;
  certificate: string;
  submitterSecrets: string[];
  /** The database that this service shares with other instances. */
  databaseUrl?: string;
  /** The folder for its files. */
  folder: string;
  /** Counts what it does, and is scraped; for this service. */
  hasMetrics: boolean;
  /** Settlements that its journal keeps, unless as many as usual. */
  settlementsKept?: number;
  /** It sends its spans there; without a URL it makes none. */
  collectorUrl?: string;
}

export interface Listening {
  port: number;
  /** A service with metrics has one. */
  operatorPort?: number | undefined;
}

/** The bytes of the garbage-collected heap, and of the whole process. */
export interface Memory {
  heapBytes: number;
  rssBytes: number;
}

/** How late timers were, in milliseconds, since the watch began. */
export interface LoopDelay {
  p50: number;
  p99: number;
  max: number;
}

/** The event loop is looked at this often. A measured value is this interval and the delay. */
const LOOP_INTERVAL_MS = 10;

/** Runs in the child: starts on the first message, answers every later one, in its own time. */
export function serve<Setup, Started>(
  start: (setup: Setup) => Promise<Started>,
  answers: Record<string, () => unknown> = {},
): void {
  process.once('disconnect', () => process.exit());
  process.once('message', (setup: Setup) => {
    void start(setup).then((started) => {
      process.send?.(started);
      process.on('message', ({ id, question }: { id: number; question: string }) => {
        void Promise.resolve(answers[question]?.()).then((answer) => process.send?.({ id, answer }));
      });
    });
  });
}

/** A server that is measured: it tells what it costs. */
export function serveMeasured(start: (setup: ServerSetup) => Promise<Listening>): void {
  const loop = monitorEventLoopDelay({ resolution: LOOP_INTERVAL_MS });
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - LOOP_INTERVAL_MS);
  serve(start, {
    cpuMicros() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    memory(): Memory {
      // Collecting everything takes a moment that is not the server's own.
      const isWatched = loop.disable();
      globalThis.gc?.();
      if (isWatched) loop.enable();
      const { heapUsed, rss } = process.memoryUsage();
      return { heapBytes: heapUsed, rssBytes: rss };
    },
    watchLoop() {
      loop.reset();
      loop.enable();
    },
    loopDelay(): LoopDelay {
      const [p50, p99] = [loop.percentile(50), loop.percentile(99)];
      return { p50: delayMs(p50), p99: delayMs(p99), max: delayMs(loop.max) };
    },
  });
}
