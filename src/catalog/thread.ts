import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ANSWER_TIMEOUT_MS, RESTART_DELAY_MS, START_TIMEOUT_MS, THREAD_HEAP_MIB } from './limits.ts';
import type { Operations } from './operations.ts';
import { UnusableFile } from '../store/sqliteFile.ts';

/** The worker's file is beside this one, in TypeScript or compiled as this one is. */
const WORKER_URL = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

export interface ThreadOptions {
  readonly dbPath: string;
  /** True if it may write. It then also creates and migrates the file. */
  readonly writes: boolean;
  /** See `CatalogDeps`. */
  readonly newListingsPerHour?: number | undefined;
  readonly allowsPrivateAddresses?: boolean | undefined;
  /** Number of requests that it holds at a time. */
  readonly atATime: number;
}

export type Operation = keyof Operations;

export type Question =
  | { readonly id: number; readonly operation: Operation; readonly request: unknown }
  | { readonly operation: 'close' };

export type Answer =
  | { readonly ready: true }
  | { readonly unusable: string }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

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

interface UnderWay {
  readonly question: Exclude<Question, { operation: 'close' }>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly timeout: NodeJS.Timeout;
}

/** Rejects with {@link UnusableFile} if the database cannot be used. */
export async function openThread(options: ThreadOptions): Promise<Thread> {
  /** Requests that have no answer yet, including those made while a worker starts. */
  const underWay = new Map<number, UnderWay>();
  let asked = 0;
  let isClosed = false;
  let worker: Worker | undefined;
  let isReady = false;
  let isEnding = false;
  /** Resolves when the worker is ready, or rejects if it ends first. */
  let ready: Promise<void>;
  let endedAtMs = -Infinity;

  function start(): void {
    const started = new Worker(WORKER_URL, {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
    });
    const readiness = Promise.withResolvers<void>();
    const giveUp = setTimeout(() => void started.terminate(), START_TIMEOUT_MS);
    let cause: unknown;
    started.on('message', (answer: Answer) => {
      if ('ready' in answer) {
        clearTimeout(giveUp);
        isReady = true;
        for (const { question } of underWay.values()) started.postMessage(question);
        readiness.resolve();
      } else if ('unusable' in answer) cause = new UnusableFile('catalog', answer.unusable);
      else if ('error' in answer) take(answer.id)?.reject(answer.error);
      else take(answer.id)?.resolve(answer.value);
    });
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      clearTimeout(giveUp);
      worker = undefined;
      isReady = false;
      isEnding = false;
      endedAtMs = performance.now();
      const ended = new Error('the thread of the catalog ended', { cause });
      readiness.reject(cause instanceof UnusableFile ? cause : ended);
      for (const id of [...underWay.keys()]) take(id)?.reject(ended);
    });
    worker = started;
    ready = readiness.promise;
    // Callers learn of a failed start when the worker ends.
    ready.catch(() => {});
  }

  /** Removes and returns a request; undefined if its caller has already been told that there is no answer. */
  function take(id: number): UnderWay | undefined {
    const taken = underWay.get(id);
    underWay.delete(id);
    clearTimeout(taken?.timeout);
    return taken;
  }

  function giveUpOn(id: number): void {
    const late = take(id);
    if (late === undefined) return;
    // The worker hangs. A worker that is still starting has its own time limit.
    if (isReady) {
      isEnding = true;
      void worker?.terminate();
    }
    late.reject(new Error(`the catalog gave no answer within ${ANSWER_TIMEOUT_MS} ms`));
  }

  /** True if it is closed or ending, or ended a short while ago: a worker that cannot start must not spin. */
  function isDown(): boolean {
    return isClosed || isEnding || (worker === undefined && performance.now() - endedAtMs < RESTART_DELAY_MS);
  }

  start();
  await ready!;
  return {
    get state() {
      if (isDown()) return 'down';
      return underWay.size < options.atATime ? 'free' : 'busy';
    },
    ask(operation, request) {
      if (worker === undefined) start();
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = (asked += 1);
      const question = { id, operation, request };
      // If this thread was blocked, the answer may have arrived without being read: read it first.
      const timeout = setTimeout(() => void setImmediate(() => giveUpOn(id)), ANSWER_TIMEOUT_MS);
      underWay.set(id, { question, resolve, reject, timeout });
      if (isReady) worker?.postMessage(question);
      return promise as never;
    },
    async close(graceMs) {
      isClosed = true;
      await ready.catch(() => {});
      const closing = worker;
      if (closing === undefined) return;
      const ended = Promise.withResolvers<void>();
      closing.once('exit', () => ended.resolve());
      const giveUp = setTimeout(() => void closing.terminate(), graceMs);
      closing.postMessage({ operation: 'close' } satisfies Question);
      await ended.promise;
      clearTimeout(giveUp);
    },
  };
}
