import type { Terms } from './terms.ts';

export interface SpendLimits {
  /** The most that one payment may cost, in base units, whatever the asset. */
  readonly maxAmount: bigint;
  /** The most that this process may pay in all, in base units, all assets added up. */
  readonly sessionBudget: bigint;
  /** The only assets (C…) to pay with, the preferred one first. */
  readonly allowedAssets: readonly string[];
}

/** Applies one call's own limit, which never widens the wallet's. Returns why an offer exceeds it, with the amounts. */
export type CallLimit = (terms: Terms) => string | undefined;

/** Decides what a wallet may spend. Asked twice per payment: before anything is prepared, and right before signing. */
export interface SpendPolicy {
  /** Returns why these terms must not be paid, with the amounts; undefined if they may be paid. */
  objection(terms: Terms, callLimit?: CallLimit): string | undefined;
  /** Returns how many base units of the budget are left. */
  left(): bigint;
  /**
   * Takes the amount out of the session's budget. Sign only after that, and give it back if certainly nothing was paid.
   * Returns undefined if there is an objection by now.
   */
  reserve(terms: Terms, callLimit?: CallLimit): Reservation | undefined;
}

export interface Reservation {
  /** May be called more than once. */
  giveBack(): void;
}

export function createSpendPolicy({ maxAmount, sessionBudget, allowedAssets }: SpendLimits): SpendPolicy {
  let spent = 0n;

  function objection(terms: Terms, callLimit?: CallLimit): string | undefined {
    const { asset, amount } = terms;
    if (!allowedAssets.includes(asset))
      return `the asset ${asset} is not among those that are allowed (${allowedAssets.join(', ')})`;
    if (amount > maxAmount)
      return `the price of ${amount} base units is above the cap of ${maxAmount} for one payment`;
    if (spent + amount > sessionBudget)
      return `the price of ${amount} base units is more than is left of the session's budget: ${sessionBudget - spent} of ${sessionBudget}`;
    return callLimit?.(terms);
  }

  return {
    objection,
    left: () => sessionBudget - spent,
    reserve(terms, callLimit) {
      if (objection(terms, callLimit) !== undefined) return undefined;
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

/**
 * Returns the offers that can be paid, in the order in which to try them: asset by asset as the wallet lists them, and
 * the cheapest first within an asset. Never compares base units of different assets. Leaves out offers in other assets.
 */
export function byPreference<Price extends Pick<Terms, 'asset' | 'amount'>>(
  prices: readonly Price[],
  allowedAssets: readonly string[],
): Price[] {
  return allowedAssets.flatMap((allowed) =>
    prices
      .filter(({ asset }) => asset === allowed)
      .toSorted((one, other) => (one.amount < other.amount ? -1 : one.amount > other.amount ? 1 : 0)),
  );
}
