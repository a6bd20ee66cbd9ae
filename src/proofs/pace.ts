/** Spaces out what happens under a name. */
export interface Pace {
  isFree(name: string): boolean;
  /** Keeps a name busy for this long from now on. */
  hold(name: string, forMs: number): void;
}

/**
 * Remembers a limited number of names. If they are too many, forgets the ones that were held first. `now` returns
 * milliseconds that never decrease.
 */
export function createPace(maxNames: number, now: () => number): Pace {
  const heldUntil = new Map<string, number>();
  return {
    isFree: (name) => (heldUntil.get(name) ?? -Infinity) <= now(),
    hold(name, forMs) {
      const until = Math.max(heldUntil.get(name) ?? -Infinity, now() + forMs);
      heldUntil.delete(name);
      heldUntil.set(name, until);
      if (heldUntil.size > maxNames) heldUntil.delete(heldUntil.keys().next().value!);
    },
  };
}
