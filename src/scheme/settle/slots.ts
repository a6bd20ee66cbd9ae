import { createFairLine, type FairLine, type NotServed, type Waiter } from './fairLine.ts';
import type { FairLineLimits } from './makeRoom.ts';
import { sendersFirst } from './parties.ts';

/** Every fourth slot goes to the other line first, so that nobody waits forever behind preferred payments. */
const OTHERS_FIRST_EVERY = 4;

/** Limits the work that runs at one time. The rest waits in two fair lines; the preferred line usually goes first. */
export interface Slots {
  /** Returns the result of `work`, or the reason why it was not started. */
  run<Result>(waiter: Waiter, isPreferred: boolean, work: () => Promise<Result>): Promise<Result | NotServed>;
  /** The numbers of what runs, and of what waits. */
  state(): { underWay: number; waiting: number };
}

export function createSlots(limits: FairLineLimits & { atOnce: number }, now: () => number): Slots {
  const createLine = (): FairLine<'slot'> => createFairLine<'slot'>(limits, sendersFirst, now);
  const [preferred, others] = [createLine(), createLine()];
  let free = limits.atOnce;
  let given = 0;

  function giveBack(): void {
    const anyone = (): boolean => true;
    given += 1;
    const [first, second] = given % OTHERS_FIRST_EVERY === 0 ? [others, preferred] : [preferred, others];
    if ((first.hand('slot', anyone) ?? second.hand('slot', anyone)) === undefined) free += 1;
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
    state: () => ({ underWay: limits.atOnce - free, waiting: preferred.length + others.length }),
  };
}
