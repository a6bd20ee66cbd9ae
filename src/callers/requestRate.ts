import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { COUNTING_LIMITS } from './limits.ts';

/** Says how many requests a caller has sent in its window, this one included. */
export interface Rate {
  readonly requests: number;
  /** The window ends after this long. */
  readonly seconds: number;
}

export type RequestRate = (name: string) => Promise<Rate>;

/** Returns a function that counts the requests of each caller in windows. It remembers a limited number of callers. */
export function createRequestRate({
  windowSeconds,
  maxCountedCallers,
}: Pick<typeof COUNTING_LIMITS, 'windowSeconds' | 'maxCountedCallers'>): RequestRate {
  // Limits differ among callers, so the limiter only counts.
  const limiter = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: windowSeconds,
    keyPrefix: '',
  });
  /** Callers in the order in which their windows began. The limiter may have forgotten some. */
  const counted = new Set<string>();

  function remember(name: string): void {
    counted.delete(name);
    counted.add(name);
    if (counted.size <= maxCountedCallers) return;
    const [oldest = ''] = counted;
    counted.delete(oldest);
    void limiter.delete(oldest);
  }

  return async (name) => {
    const { consumedPoints, isFirstInDuration, msBeforeNext } = await limiter.consume(name);
    if (isFirstInDuration) remember(name);
    return { requests: consumedPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
  };
}
