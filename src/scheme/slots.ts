import { createFairLine } from './fairLine.ts';
import type { FairLineLimits, NotServed, Waiter } from './fairLine.ts';

/** Lets so much work go on at a time; the rest waits in a fair line. */
export interface Slots {
  /** What `work` comes to, or why it was not begun. */
  run<Result>(waiter: Waiter, work: () => Promise<Result>): Promise<Result | NotServed>;
}

export function createSlots(limits: FairLineLimits & { atOnce: number }, now: () => number): Slots {
  const line = createFairLine<'slot'>(limits, now);
  let free = limits.atOnce;

  return {
    async run(waiter, work) {
      if (free > 0) {
        free -= 1;
        line.admit(waiter);
      } else {
        const served = await line.wait(waiter);
        if (served !== 'slot') return served;
      }
      try {
        return await work();
      } finally {
        line.leave(waiter);
        if (line.hand('slot', () => true) === undefined) free += 1;
      }
    },
  };
}
