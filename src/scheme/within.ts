import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a promise. Returns undefined if it is not settled within `limitMs`, or before the signal is aborted. */
export async function within<T>(
  promise: Promise<T>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const waiting = new AbortController();
  const signals = signal === undefined ? waiting.signal : AbortSignal.any([waiting.signal, signal]);
  const late = sleep(limitMs, undefined, { signal: signals }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    waiting.abort();
  }
}
