import type { CatalogLimits } from './limits.ts';
import type { Operations } from './operations.ts';
import { createQueue, type Overloaded, type Waiting } from './queue.ts';
import type { Operation } from './protocol.ts';
import type { Thread } from './thread.ts';

/** The caller that waits for an answer, the cost of its request, and the signal that it has gone. */
export type Wait = Partial<Pick<Waiting, 'caller' | 'cost' | 'gone'>>;

/** Comes after the declarations for which settlements wait. */
export const PROOF: Wait = { cost: 1 };

/** Hands requests to threads of one kind. A thread holds few requests at a time, so the order is kept here. */
export interface Pool {
  /**
   * Returns the operation's result, or a refusal if the request was not carried out. Rejects if the operation fails, the
   * thread ends meanwhile, or no thread is running.
   */
  ask<K extends Operation>(
    operation: K,
    request: Parameters<Operations[K]>[0],
    wait: Wait,
  ): Promise<ReturnType<Operations[K]> | Overloaded>;
  /** Returns how many requests wait for a thread, and whether no thread is down. */
  state(): { waiting: number; areThreadsUp: boolean };
  /** Finishes the requests that wait or are under way, within a bounded time. */
  close(): Promise<void>;
}

export function createPool(threads: readonly Thread[], limits: CatalogLimits): Pool {
  const queue = createQueue(limits);
  const drained = Promise.withResolvers<void>();
  let isClosing = false;

  function dispatch(): void {
    for (const thread of threads) {
      while (thread.state === 'free' && queue.length > 0) void carryOut(thread, queue.next()!);
    }
    if (threads.every(({ state }) => state === 'down')) rejectAll();
    if (isClosing && queue.length === 0) drained.resolve();
  }

  async function carryOut(thread: Thread, { operation, request, resolve, reject }: Waiting): Promise<void> {
    try {
      const value = await thread.ask(operation, request as never);
      // Hand out the next request first: the thread need not wait until this answer has been used.
      dispatch();
      resolve(value);
    } catch (error) {
      reject(error);
      dispatch();
    }
  }

  function rejectAll(): void {
    for (let waiting = queue.next(); waiting !== undefined; waiting = queue.next())
      waiting.reject(notRunning());
  }

  return {
    ask(operation, request, { caller = '', cost = 0, gone }) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      if (isClosing) reject(notRunning());
      else {
        const sinceMs = performance.now();
        queue.add({ operation, request, caller, cost, gone, sinceMs, resolve, reject });
        dispatch();
      }
      return promise as never;
    },
    state: () => ({
      waiting: queue.length,
      areThreadsUp: threads.every(({ state }) => state !== 'down'),
    }),
    async close() {
      isClosing = true;
      const startedAtMs = performance.now();
      const giveUp = setTimeout(() => drained.resolve(), limits.closeGraceMs);
      dispatch();
      await drained.promise;
      clearTimeout(giveUp);
      rejectAll();
      const leftMs = limits.closeGraceMs - (performance.now() - startedAtMs);
      await Promise.all(threads.map((thread) => thread.close(leftMs)));
    },
  };
}

/** Rejects if the request was not carried out. */
export async function answered<T extends object>(asked: Promise<T | Overloaded>): Promise<T> {
  const answer = await asked;
  if ('code' in answer) throw new Error('the catalog is overloaded');
  return answer;
}

function notRunning(): Error {
  return new Error('the catalog is not running');
}
