import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/**
 * Time for this whole process that passes only when it is told to. What follows from one moment is done before the next
 * one comes, so that the same schedule always runs alike.
 */
export interface VirtualTime extends Disposable {
  /** Milliseconds. */
  now(): number;
  /** Lets time pass, at most until `isEnough`; timers fire one by one, in their order. */
  pass(ms: number, isEnough?: () => boolean): Promise<void>;
  /** Does work of an owner: the timers that it sets, and those that follow from them, are the owner's. */
  as<Result>(owner: object, work: () => Result): Result;
  /** The owner's timers stand still, and fire once it goes on. */
  pause(owner: object): void;
  resume(owner: object): void;
  /** Whoever set a timer is gone. */
  forgetTimers(owner: object): void;
  /** No moment is over before what `outside` returns, as long as it returns something. */
  awaits(outside: () => Promise<unknown> | undefined): void;
}

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly owner: object | undefined;
  readonly fire: () => void;
  /** Lets go of what it hangs on, when it never will fire. */
  readonly drop?: () => void;
}

/** More timers than any hour of this service needs. */
const MAX_FIRINGS_PER_PASS = 200_000;

/** Takes over `setTimeout` in all its forms, until it is disposed of. Whoever shows the time must be handed `now`. */
export function takeOverTime(startMs: number): VirtualTime {
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const { setInterval: realSetInterval, clearInterval: realClearInterval } = globalThis;
  const realNow = performance.now;
  const owners = new AsyncLocalStorage<object>();
  const paused = new Set<object>();
  let outside: () => Promise<unknown> | undefined = () => undefined;
  const realSleep = timersPromises.setTimeout;
  const timers = new Map<object, Timer>();
  let nowMs = startMs;
  let order = 0;

  const newHandle = () => {
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true };
    return handle as unknown as NodeJS.Timeout;
  };

  function set(fire: () => void, ms = 0, drop?: () => void, handle = newHandle()): NodeJS.Timeout {
    timers.set(handle, {
      dueMs: nowMs + Math.max(1, Number(ms) || 0),
      order: order++,
      owner: owners.getStore(),
      fire,
      ...(drop && { drop }),
    });
    return handle;
  }

  function repeat(fire: () => void, ms?: number): NodeJS.Timeout {
    const handle = newHandle();
    const again = (): void => {
      set(again, ms, undefined, handle);
      fire();
    };
    return set(again, ms, undefined, handle);
  }

  function clear(handle: unknown): void {
    if (handle !== undefined && !timers.delete(handle as object)) realClearTimeout(handle as NodeJS.Timeout);
  }

  function sleep<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        clear(handle);
        reject(new DOMException('The operation was aborted', 'AbortError'));
      };
      const drop = (): void => signal?.removeEventListener('abort', abort);
      const fire = (): void => {
        drop();
        resolve(value as T);
      };
      const handle = set(fire, ms, drop);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  function next(): [object, Timer] | undefined {
    let first: [object, Timer] | undefined;
    for (const entry of timers) {
      const [, { dueMs, order, owner }] = entry;
      if (owner !== undefined && paused.has(owner)) continue;
      if (!first || dueMs < first[1].dueMs || (dueMs === first[1].dueMs && order < first[1].order))
        first = entry;
    }
    return first;
  }

  Object.assign(globalThis, {
    setTimeout: <Args extends unknown[]>(fire: (...args: Args) => void, ms?: number, ...args: Args) =>
      set(() => fire(...args), ms),
    clearTimeout: clear,
    setInterval: repeat,
    clearInterval: clear,
  });
  performance.now = () => nowMs;
  timersPromises.setTimeout = sleep as typeof realSleep;
  syncBuiltinESMExports();

  return {
    now: () => nowMs,
    async pass(ms, isEnough = () => false) {
      const endMs = nowMs + ms;
      for (let firings = 0; ; firings += 1) {
        await everythingDone();
        for (let waited = outside(); waited !== undefined; waited = outside()) {
          await waited;
          await everythingDone();
        }
        const first = next();
        if (isEnough()) return;
        if (first === undefined || first[1].dueMs > endMs) break;
        if (firings === MAX_FIRINGS_PER_PASS) throw new Error(`${firings} timers fire within ${ms} ms`);
        const [handle, { dueMs, owner, fire }] = first;
        timers.delete(handle);
        nowMs = Math.max(nowMs, dueMs);
        owners.run(owner as object, fire);
      }
      nowMs = endMs;
    },
    as: (owner, work) => owners.run(owner, work),
    pause: (owner) => void paused.add(owner),
    resume: (owner) => void paused.delete(owner),
    forgetTimers(gone) {
      paused.delete(gone);
      for (const [handle, { owner, drop }] of timers) {
        if (owner !== gone) continue;
        timers.delete(handle);
        drop?.();
      }
    },
    awaits: (work) => void (outside = work),
    [Symbol.dispose]() {
      Object.assign(globalThis, {
        setTimeout: realSetTimeout,
        clearTimeout: realClearTimeout,
        setInterval: realSetInterval,
        clearInterval: realClearInterval,
      });
      performance.now = realNow;
      timersPromises.setTimeout = realSleep;
      syncBuiltinESMExports();
    },
  };
}

/** Of promises and callbacks that wait for nothing but each other. */
function everythingDone(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
