import { createFairLine } from './fairLine.ts';
import type { FairLineLimits, NotServed, Waiter } from './fairLine.ts';

/** Lets so much work go on at a time; the rest waits in fair lines, of which the preferred one comes first. */
export interface Slots {
  /** What `work` comes to, or why it was not begun. */
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
