/** Decides how many channel accounts an instance may keep while others need some. */
export interface FairShare {
  /** Notes that another instance needs accounts. */
  note(instance: string, accounts: number): void;
  /** True if one of the `held` accounts should go to another instance. */
  owes(held: number, waitingHere: number): boolean;
  /** Counts an account that went to another instance. */
  paid(): void;
  /** From now on, everything that is free goes to others. */
  owesAll(): void;
}

/** An instance with payments that wait keeps its part of the accounts. One without gives what is asked for. */
export function createFairShare(deps: { accounts: number; neededForMs: number }): FairShare {
  /** The accounts that each other instance still needs, and the moment at which its request lapses. */
  const others = new Map<string, { accounts: number; untilMs: number }>();
  let isDraining = false;

  function inNeed(): { accounts: number }[] {
    for (const [name, { accounts, untilMs }] of others)
      if (accounts <= 0 || performance.now() > untilMs) others.delete(name);
    return [...others.values()];
  }

  return {
    note: (instance, accounts) =>
      void others.set(instance, { accounts, untilMs: performance.now() + deps.neededForMs }),
    owes(held, waitingHere) {
      if (isDraining) return waitingHere === 0;
      const { length } = inNeed();
      if (length === 0) return false;
      // With fewer accounts than instances in need, each payment passes its account on.
      const kept = waitingHere === 0 ? 0 : Math.floor(deps.accounts / (length + 1));
      return held > kept;
    },
    paid() {
      const [first] = inNeed();
      if (first !== undefined) first.accounts -= 1;
    },
    owesAll: () => void (isDraining = true),
  };
}
