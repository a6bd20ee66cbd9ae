import { Worker } from 'node:worker_threads';
import {
  ANSWER_TIMEOUT_MS,
  CLOSE_GRACE_MS,
  MAX_WAITING,
  RESTART_DELAY_MS,
  THREAD_HEAP_MIB,
} from './limits.ts';
import type { Operations } from './operations.ts';
import { UnusableDatabase } from './databaseFile.ts';

export interface ThreadOptions {
  readonly dbPath: string;
  /** Whether it may write; it then also makes and migrates the file. */
  readonly writes: boolean;
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
  resolve(value: unknown): void;
  reject(error: unknown): void;
  timeout: NodeJS.Timeout;
}

/** Rejects with {@link UnusableDatabase} where the database cannot be used. */
export async function openThread(options: ThreadOptions): Promise<Thread> {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let isClosed = false;
  /** Undefined while none runs. */
  let worker: Worker | undefined;
  let endedAtMs = -Infinity;
  let heardAtMs = -Infinity;
  let starting: Promise<Worker> | undefined;
  await running();

  /** The worker, started if there is none: one attempt at a time, and not right after an end. */
  async function running(): Promise<Worker> {
    if (worker !== undefined) return worker;
    if (isClosed || performance.now() - endedAtMs < RESTART_DELAY_MS) {
      throw new Error('the catalog is not running');
    }
    starting ??= start().finally(() => (starting = undefined));
    return starting;
  }

  async function start(): Promise<Worker> {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MIB },
    });
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let cause: unknown;
    started.on('message', (answer: Answer) => {
      heardAtMs = performance.now();
      if ('ready' in answer) resolve();
      else if ('unusable' in answer) reject(new UnusableDatabase(answer.unusable));
      else if ('error' in answer) take(answer.id)?.reject(answer.error);
      else take(answer.id)?.resolve(answer.value);
    });
    started.on('error', (error) => (cause = error));
    started.on('exit', () => {
      const ended = new Error('the thread of the catalog ended', { cause });
      reject(ended);
      worker = undefined;
      endedAtMs = performance.now();
      for (const id of [...waiting.keys()]) take(id)?.reject(ended);
    });
    await ready;
    return (worker = started);
  }

  function take(id: number): Waiting | undefined {
    const asker = waiting.get(id);
    waiting.delete(id);
    clearTimeout(asker?.timeout);
    return asker;
  }

  return {
    async ask(operation, request) {
      // At once where it runs: what is asked before `close` is carried out.
      return enqueue(worker ?? (await running()), operation, request) as never;
    },
    async close() {
      isClosed = true;
      const closing = worker ?? (await starting?.catch(() => undefined));
      if (closing === undefined) return;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      closing.once('exit', () => resolve());
      const giveUp = setTimeout(() => void closing.terminate(), CLOSE_GRACE_MS);
      closing.postMessage({ operation: 'close' } satisfies Question);
      await ended;
      clearTimeout(giveUp);
    },
  };

  function enqueue(to: Worker, operation: Operation, request: unknown): Promise<unknown> {
    if (waiting.size >= MAX_WAITING) throw new Error(`the catalog has ${MAX_WAITING} requests waiting`);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = (asked += 1);
    const timeout = setTimeout(() => {
      // It goes on counting as waiting: the thread has it still before it.
      reject(new Error(`the catalog gave no answer within ${ANSWER_TIMEOUT_MS} ms`));
      // One that answers others has much to do; one that answers nobody hangs.
      if (performance.now() - heardAtMs >= ANSWER_TIMEOUT_MS) void to.terminate();
    }, ANSWER_TIMEOUT_MS);
    waiting.set(id, { resolve, reject, timeout });
    to.postMessage({ id, operation, request } satisfies Question);
    return promise;
  }
}
