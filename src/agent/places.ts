import type { AgentLimits } from './limits.ts';
import { pause, type Patience } from './payment/waiting.ts';

/** Lets a limited number of calls run at once. The others wait, and are let in by the order of their arrival. */
export interface Places {
  /** Waits for a place, until `patience` ends. `full`: too many wait already. `late`: no place came free in time. */
  take(patience: Patience): Promise<'taken' | 'full' | 'late'>;
  /** Gives a taken place to the call that has waited longest. */
  giveBack(): void;
}

export type PlacesLimits = Pick<AgentLimits, 'maxCallsAtOnce' | 'maxCallsWaiting'>;

export function createPlaces({ maxCallsAtOnce, maxCallsWaiting }: PlacesLimits): Places {
  let free = maxCallsAtOnce;
  /** The first has waited longest. */
  const waiting = new Set<() => void>();

  return {
    async take({ remainingMs, signal }) {
      if (free > 0) {
        free -= 1;
        return 'taken';
      }
      if (waiting.size >= maxCallsWaiting) return 'full';
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await Promise.race([promise, pause(remainingMs(), signal)]);
      // A place may have been given at the very end: it must not get lost.
      return waiting.delete(resolve) ? 'late' : 'taken';
    },
    giveBack() {
      const [next] = waiting;
      if (next === undefined) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
