import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  ANSWER_TIMEOUT_MS,
  CLOSE_GRACE_MS,
  MAX_WAITING,
  RESTART_DELAY_MS,
  START_TIMEOUT_MS,
  THREAD_HEAP_MIB,
} from './limits.ts';
import type { Operations } from './operations.ts';
import { UnusableDatabase } from './databaseFile.ts';

/** Beside this file, in TypeScript or compiled as this one is. */
const WORKER_URL = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

export interface ThreadOptions {
  readonly dbPath: string;
  /** Whether it may write; it then also makes and migrates the file. */
  readonly writes: boolean;
  /** See `CatalogDeps`. */
  readonly newListingsPerHour?: number | undefined;
  readonly allowsPrivateAddresses?: boolean | undefined;
}

type Operation = keyof Operations;

export type Question =
  | { readonly id: number; readonly operation: Operation; readonly request: unknown }
  | { readonly operation: 'close' };

export type Answer =
  | { readonly ready: true }
  | { readonly unusable: string }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

/** A thread that carries out operations. One that ends or hangs is replaced with a later request. */
export interface Thread {
  /** Rejects when the operation fails, the thread ends meanwhile, or too many requests wait. */
  ask<K extends Operation>(
    operation: K,
    request: Parameters<Operations[K]>[0],
  ): Promise<ReturnType<Operations[K]>>;
  /** Finishes what is under way, within a bounded time. */
  close(): Promise<void>;
}

interface Waiting {
  readonly question: Exclude<Question, { operation: 'close' }>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly timeout: NodeJS.Timeout;
}

/** Rejects with {@link UnusableDatabase} where the database cannot be used. */
export async function openThread(options: ThreadOptions): Promise<Thread> {
  /** What was asked and not answered yet, also while a worker starts. */
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let isClosed = false;
  let worker: Worker | undefined;
  let isReady = false;
  /** Settles when the worker is ready, or ends before. */
  let ready: Promise<void>;
  let endedAtMs = -Infinity;
  let heardAtMs = -Infinity;

  function start(): void {
    const started = new Worker(WORKER_URL, {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
    });
    const readiness = Promise.withResolvers<void>();
    const giveUp = setTimeout(() => void started.terminate(), START_TIMEOUT_MS);
    let cause: unknown;
    started.on('message', (answer: Answer) => {
      heardAtMs = performance.now();
      if ('ready' in answer) {
        clearTimeout(giveUp);
        isReady = true;
        for (const { question } of waiting.values()) started.postMessage(question);
        readiness.resolve();
      } else if ('unusable' in answer) cause = new UnusableDatabase(answer.unusable);
      else if ('error' in answer) take(answer.id)?.reject(answer.error);
      else take(answer.id)?.resolve(answer.value);
    });
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      clearTimeout(giveUp);
      worker = undefined;
      isReady = false;
      endedAtMs = performance.now();
      const ended = new Error('the thread of the catalog ended', { cause });
      readiness.reject(cause instanceof UnusableDatabase ? cause : ended);
      for (const id of [...waiting.keys()]) take(id)?.reject(ended);
    });
    worker = started;
    ready = readiness.promise;
    // Whoever asks learns of a failed start by the end of the worker.
    ready.catch(() => {});
  }

  function take(id: number): Waiting | undefined {
    const asker = waiting.get(id);
    waiting.delete(id);
    clearTimeout(asker?.timeout);
    return asker;
  }

  /** It goes on counting as waiting: the thread has it still before it. */
  function giveUpOn({ reject }: Waiting): void {
    reject(new Error(`the catalog gave no answer within ${ANSWER_TIMEOUT_MS} ms`));
    // One that answers others has much to do; one that answers nobody hangs. A start has its own time.
    if (isReady && performance.now() - heardAtMs >= ANSWER_TIMEOUT_MS) void worker?.terminate();
  }

  start();
  await ready!;
  return {
    async ask(operation, request) {
      if (worker === undefined) {
        // Not right after an end: one that cannot start must not be tried over and over.
        if (isClosed || performance.now() - endedAtMs < RESTART_DELAY_MS)
          throw new Error('the catalog is not running');
        start();
      }
      if (waiting.size >= MAX_WAITING) throw new Error(`the catalog has ${MAX_WAITING} requests waiting`);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = (asked += 1);
      const question = { id, operation, request };
      const timeout = setTimeout(() => {
        // Where this thread was held up, the answer may lie here unread: read it first.
        setImmediate(() => {
          const asker = waiting.get(id);
          if (asker !== undefined) giveUpOn(asker);
        });
      }, ANSWER_TIMEOUT_MS);
      waiting.set(id, { question, resolve, reject, timeout });
      if (isReady) worker?.postMessage(question);
      return promise as never;
    },
    async close() {
      isClosed = true;
      await ready.catch(() => {});
      const closing = worker;
      if (closing === undefined) return;
      const ended = Promise.withResolvers<void>();
      closing.once('exit', () => ended.resolve());
      const giveUp = setTimeout(() => void closing.terminate(), CLOSE_GRACE_MS);
      closing.postMessage({ operation: 'close' } satisfies Question);
      await ended.promise;
      clearTimeout(giveUp);
    },
  };
}
