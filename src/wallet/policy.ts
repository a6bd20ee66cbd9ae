import type { Terms } from './terms.ts';

export interface SpendLimits {
  /** The most that one payment may be (specification 4.8). Base units, whatever the asset. */
  readonly maxAmount: bigint;
  /** The most that all payments of this process may be together; null for no such limit. Base units, all assets added up. */
  readonly sessionBudget: bigint | null;
  /** The only assets (C…) that may be paid in; null for any. */
  readonly allowedAssets: readonly string[] | null;
}

/** What a wallet may spend. It is asked twice for each payment: before anything is prepared, and right before signing. */
export interface SpendPolicy {
  /** Why these terms must not be paid, with the amounts; undefined when they may. */
  objection(terms: Terms): string | undefined;
  /**
   * Takes the amount out of the session's budget; signing only after that. Give it back when nothing was paid for
   * certain. Undefined when there is an objection by now.
   */
  reserve(terms: Terms): Reservation | undefined;
}

export interface Reservation {
  /** May be called more than once. */
  giveBack(): void;
}

export function createSpendPolicy({ maxAmount, sessionBudget, allowedAssets }: SpendLimits): SpendPolicy {
  let spent = 0n;

  function objection({ asset, amount }: Terms): string | undefined {
    if (allowedAssets !== null && !allowedAssets.includes(asset))
      return `the asset ${asset} is not among those that are allowed (${allowedAssets.join(', ')})`;
    if (amount > maxAmount)
      return `the price of ${amount} base units is above the cap of ${maxAmount} for one payment`;
    if (sessionBudget !== null && spent + amount > sessionBudget)
      return `the price of ${amount} base units is more than is left of the session's budget: ${sessionBudget - spent} of ${sessionBudget}`;
    return undefined;
  }

  return {
    objection,
    reserve(terms) {
      if (objection(terms) !== undefined) return undefined;
      spent += terms.amount;
      let isHeld = true;
      return {
        giveBack() {
          if (isHeld) spent -= terms.amount;
          isHeld = false;
        },
      };
    },
  };
}
