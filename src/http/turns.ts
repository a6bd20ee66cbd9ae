import { createShares, type Share } from './shares.ts';

/**
 * Does long work piece by piece. After each piece the event loop is free for as long as the piece took, so that short
 * work gets its turn in between.
 */
export interface Turns {
  /** Resolves to true when the turn has come, or to false if too many wait and this one has to give way. */
  next(caller: string): Promise<boolean>;
}

interface Waiting {
  share?: Share;
  readonly resolve: (isItsTurn: boolean) => void;
}

export function createTurns(limits: { inAll: number; perCaller: number }): Turns {
  const shares = createShares(limits);
  const waiting = new Set<Waiting>();
  let isProceeding = false;

  function proceed(): void {
    const [first] = waiting;
    isProceeding = first !== undefined;
    if (first === undefined) return;
    const startedAtMs = performance.now();
    leave(first, true);
    // The piece begins in this turn of the event loop, so it is done when this runs.
    setImmediate(() => setTimeout(proceed, performance.now() - startedAtMs));
  }

  function leave(one: Waiting, isItsTurn: boolean): void {
    waiting.delete(one);
    one.share?.release();
    one.resolve(isItsTurn);
  }

  return {
    next(caller) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const one: Waiting = { resolve };
      waiting.add(one);
      if (!isProceeding) setImmediate(proceed);
      isProceeding = true;
      one.share = shares.take(caller, 1, () => leave(one, false));
      return promise;
    },
  };
}
