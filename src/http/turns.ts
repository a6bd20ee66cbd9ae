import { createShares } from './shares.ts';
import type { Share } from './shares.ts';

/** Long work takes one turn of the event loop for each piece, so that short work gets its turn between. */
export interface Turns {
  /** Resolves when the turn has come; to false if too many wait and this one has to give way. */
  next(address: string): Promise<boolean>;
}

interface Waiting {
  share?: Share;
  readonly resolve: (isItsTurn: boolean) => void;
}

export function createTurns(limits: { inAll: number; perAddress: number }): Turns {
  const shares = createShares(limits);
  const waiting = new Set<Waiting>();

  function proceed(): void {
    const [first] = waiting;
    if (first === undefined) return;
    leave(first, true);
    if (waiting.size > 0) setImmediate(proceed);
  }

  function leave(one: Waiting, isItsTurn: boolean): void {
    waiting.delete(one);
    one.share?.release();
    one.resolve(isItsTurn);
  }

  return {
    next(address) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const one: Waiting = { resolve };
      waiting.add(one);
      if (waiting.size === 1) setImmediate(proceed);
      one.share = shares.take(address, 1, () => leave(one, false));
      return promise;
    },
  };
}
