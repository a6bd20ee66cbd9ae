import type { AgentLimits } from './limits.ts';
import { pause, type Patience } from './payment/waiting.ts';

/**
 * Lets a limited number of calls run at once. The others wait: those of a session in the order of their arrival, and the
 * session that runs the fewest goes first. So no session keeps out another, however much it calls.
 */
export interface Places {
  /**
   * Waits for a place, until `patience` ends. `full`: too many wait already, and no session has more than this one would.
   * `late`: no place came free in time.
   */
  take(session: object, patience: Patience): Promise<'taken' | 'full' | 'late'>;
  /** Gives a taken place to the call whose turn it is. */
  giveBack(session: object): void;
}

export type PlacesLimits = Pick<AgentLimits, 'maxCallsAtOnce' | 'maxCallsOfSession' | 'maxCallsWaiting'>;

interface Waiter {
  readonly session: object;
  leave(how: 'taken' | 'full'): void;
}

export function createPlaces(limits: PlacesLimits): Places {
  const { maxCallsAtOnce, maxCallsOfSession, maxCallsWaiting } = limits;
  /** How many calls each session runs; sessions that run none are absent. */
  const running = new Map<object, number>();
  /** In the order of arrival. */
  const waiting = new Set<Waiter>();
  let free = maxCallsAtOnce;

  const runningOf = (session: object): number => running.get(session) ?? 0;

  function tryToRun(session: object): boolean {
    if (free === 0 || runningOf(session) >= maxCallsOfSession) return false;
    free -= 1;
    running.set(session, runningOf(session) + 1);
    return true;
  }

  /** Sends away the newest call of the session that has the most waiting, if a newcomer's session would have fewer. */
  function makeRoomFor(session: object): boolean {
    if (waiting.size < maxCallsWaiting) return true;
    const counts = new Map<object, number>();
    for (const waiter of waiting) counts.set(waiter.session, (counts.get(waiter.session) ?? 0) + 1);
    const most = Math.max(0, ...counts.values());
    if (most <= (counts.get(session) ?? 0) + 1) return false;
    [...waiting].findLast((waiter) => counts.get(waiter.session) === most)?.leave('full');
    return true;
  }

  function letIn(): void {
    const [next] = [...waiting]
      .filter(({ session }) => runningOf(session) < maxCallsOfSession)
      .toSorted((one, other) => runningOf(one.session) - runningOf(other.session));
    if (next !== undefined && tryToRun(next.session)) next.leave('taken');
  }

  return {
    async take(session, { remainingMs, signal }) {
      if (tryToRun(session)) return 'taken';
      if (!makeRoomFor(session)) return 'full';
      const { promise, resolve } = Promise.withResolvers<'taken' | 'full'>();
      const waiter: Waiter = {
        session,
        leave(how) {
          waiting.delete(waiter);
          resolve(how);
        },
      };
      waiting.add(waiter);
      await Promise.race([promise, pause(remainingMs(), signal)]);
      // A place may have been given at the very end: it must not get lost.
      return waiting.delete(waiter) ? 'late' : promise;
    },
    giveBack(session) {
      free += 1;
      const left = runningOf(session) - 1;
      if (left > 0) running.set(session, left);
      else running.delete(session);
      letIn();
    },
  };
}
