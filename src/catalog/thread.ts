import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { UnusableFile } from '../store/sqliteFile.ts';
import type { CatalogLimits } from './limits.ts';
import type { Operations } from './operations.ts';
import { buffersOf, type Message, type Operation, type Report, type ThreadOptions } from './protocol.ts';
import type { PreparedListings } from './sqlite/preparedListings.ts';
import type { HybridProgress } from './store.ts';
import { createUnderWay, type UnderWay } from './underWay.ts';

/** The worker's file is beside this one, in TypeScript or compiled as this one is. */
const WORKER_URL = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** Carries out one operation after the other. A thread that ended or hung is replaced when a later request comes. */
export interface Thread {
  /** Down: it ended a short while ago, is about to end, or was closed. Busy: it has as many requests as it may. */
  readonly state: 'free' | 'busy' | 'down';
  /** Rejects if the operation fails, or the thread ends meanwhile. */
  ask<K extends Operation>(
    operation: K,
    request: Parameters<Operations[K]>[0],
  ): Promise<ReturnType<Operations[K]>>;
  /** Finishes the requests under way, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Rejects with {@link UnusableFile} if the database cannot be used. */
export async function openThread(
  options: ThreadOptions,
  limits: CatalogLimits,
  onProgress: (progress: HybridProgress) => void = () => {},
): Promise<Thread> {
  let run: Run | undefined;
  let endedAtMs = -Infinity;
  let isClosed = false;
  const underWay = createUnderWay(limits.answerTimeoutMs, () => run?.hang());

  function start(): Run {
    const onEnd = (): void => {
      run = undefined;
      endedAtMs = performance.now();
    };
    return (run = startWorker({ options, limits, underWay, onProgress, onEnd }));
  }

  /** True if it is closed or ending, or ended a short while ago: a worker that cannot start must not spin. */
  function isDown(): boolean {
    if (run === undefined) return isClosed || performance.now() - endedAtMs < limits.restartDelayMs;
    return isClosed || run.isEnding;
  }

  await start().ready;
  return {
    get state() {
      if (isDown()) return 'down';
      return underWay.size < options.atATime ? 'free' : 'busy';
    },
    ask(operation, request) {
      const current = run ?? start();
      const { question, promise } = underWay.add(operation, request);
      if (current.isReady) current.send(question);
      return promise as never;
    },
    async close(graceMs) {
      isClosed = true;
      await run?.ready.catch(() => {});
      await run?.close(graceMs);
    },
  };
}

/** A worker, from its start to its end. */
interface Run {
  /** Resolves when the worker is ready, or rejects if it ends first. */
  readonly ready: Promise<void>;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  send(message: Message): void;
  /** Ends a worker that hangs. One that is still starting has its own time limit. */
  hang(): void;
  /** Ends the worker after the requests under way, and at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface RunDeps {
  options: ThreadOptions;
  limits: CatalogLimits;
  underWay: UnderWay;
  onProgress: (progress: HybridProgress) => void;
  onEnd: () => void;
}

/** Sends the requests under way as soon as the worker is ready. Rejects those that it leaves when it ends. */
function startWorker({ options, limits, underWay, onProgress, onEnd }: RunDeps): Run {
  const worker = new Worker(WORKER_URL, {
    workerData: options,
    // The host of the service may keep keys in its environment.
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: options.model === undefined ? limits.threadHeapMib : limits.rankerHeapMib,
    },
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  // Callers learn of a failed start when the worker ends.
  ready.catch(() => {});
  const giveUp = setTimeout(() => void worker.terminate(), limits.startTimeoutMs);
  const run = { ready, isReady: false, isEnding: false, send };
  let cause: unknown;
  function send(message: Message): void {
    const listings = message.operation === 'fill' ? (message.request as PreparedListings) : undefined;
    worker.postMessage(message, listings === undefined ? [] : buffersOf(listings));
  }
  worker.on('message', (report: Report) => {
    if ('unusable' in report) cause = new UnusableFile(report.file, report.unusable);
    else if ('id' in report) underWay.answer(report);
    else if ('progress' in report) onProgress(report.progress);
    else {
      clearTimeout(giveUp);
      run.isReady = true;
      for (const question of underWay.questions()) run.send(question);
      resolve();
    }
  });
  worker.on('error', (error) => (cause = error));
  worker.on('exit', () => {
    clearTimeout(giveUp);
    onEnd();
    const ended = new Error('the thread of the catalog ended', { cause });
    reject(cause instanceof UnusableFile ? cause : ended);
    underWay.rejectAll(ended);
  });
  return Object.assign(run, {
    hang() {
      if (!run.isReady) return;
      run.isEnding = true;
      void worker.terminate();
    },
    async close(graceMs: number) {
      const ended = Promise.withResolvers<void>();
      worker.once('exit', () => ended.resolve());
      const late = setTimeout(() => void worker.terminate(), graceMs);
      worker.postMessage({ operation: 'close' } satisfies Message);
      await ended.promise;
      clearTimeout(late);
    },
  });
}
