import { createFairLine } from './fairLine.ts';
import type { FairLineLimits, NotServed, Waiter } from './fairLine.ts';

/** Limits the work that goes on at a time. The rest waits in two fair lines, and the preferred line comes first. */
export interface Slots {
  /** Returns the result of `work`, or why it was not begun. */
  run<Result>(waiter: Waiter, isPreferred: boolean, work: () => Promise<Result>): Promise<Result | NotServed>;
}

export function createSlots(limits: FairLineLimits & { atOnce: number }, now: () => number): Slots {
  const [preferred, others] = [createFairLine<'slot'>(limits, now), createFairLine<'slot'>(limits, now)];
  let free = limits.atOnce;

  function giveBack(): void {
    const anyone = (): boolean => true;
    if ((preferred.hand('slot', anyone) ?? others.hand('slot', anyone)) === undefined) free += 1;
  }

  return {
    async run(waiter, isPreferred, work) {
      const line = isPreferred ? preferred : others;
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
        giveBack();
      }
    },
  };
}
