import type { DailyBudgets, DailyLimits } from './dailyBudgets.ts';
import type { Terms } from './terms.ts';

export interface SpendLimits {
  /** The most that one payment may cost, in base units, whatever the asset. */
  readonly maxAmount: bigint;
  /** The most that one session may pay in all, in base units, all assets added up. */
  readonly sessionBudget: bigint;
  /** The only assets (C…) to pay with, the preferred one first. */
  readonly allowedAssets: readonly string[];
  /** Undefined if no day has a budget. */
  readonly daily?: DailyLimits | undefined;
}

/** Applies one call's own limit, which never widens the wallet's. Returns why an offer exceeds it, with the amounts. */
export type CallLimit = (terms: Terms) => string | undefined;

/** The call that a payment is for. */
export interface SpendingCall {
  /** The host that is called, without a port. */
  readonly host: string;
  readonly limit: CallLimit;
}

/** Decides what a wallet may spend. Asked twice per payment: before anything is prepared, and right before signing. */
export interface SpendPolicy {
  /** Returns why these terms must not be paid, with the amounts; undefined if they may be paid. */
  objection(terms: Terms, call?: SpendingCall): string | undefined;
  /** Returns how many base units of an asset a host may still get: the least that any budget leaves. */
  left(asset: string, host: string): bigint;
  /**
   * Takes the amount out of the budgets. Sign only after that, and give it back if certainly nothing was paid. Returns
   * undefined if there is an objection by now.
   */
  reserve(terms: Terms, call?: SpendingCall): Reservation | undefined;
}

export interface Reservation {
  /** May be called more than once. */
  giveBack(): void;
}

/** Begins a session's budget. Budgets of the day, if there are any, are shared with other sessions. */
export function createSpendPolicy(
  { maxAmount, sessionBudget, allowedAssets }: Omit<SpendLimits, 'daily'>,
  budgets?: DailyBudgets,
): SpendPolicy {
  let spent = 0n;

  function objection(terms: Terms, call?: SpendingCall): string | undefined {
    const { asset, amount } = terms;
    if (!allowedAssets.includes(asset))
      return `the asset ${asset} is not among those that are allowed (${allowedAssets.join(', ')})`;
    const price = `the price of ${amount} base units`;
    if (amount > maxAmount) return `${price} is above the cap of ${maxAmount} for one payment`;
    if (spent + amount > sessionBudget)
      return `${price} is more than is left of the session's budget: ${sessionBudget - spent} of ${sessionBudget}`;
    const day = budgets?.left({ asset, host: call?.host ?? '' }).find(({ left }) => amount > left);
    if (day !== undefined)
      return `${price} is more than is left of today's budget for ${day.of}: ${day.left} of ${day.budget}`;
    return call?.limit(terms);
  }

  return {
    objection,
    left(asset, host) {
      const days = budgets?.left({ asset, host }) ?? [];
      return days.reduce((least, { left }) => (left < least ? left : least), sessionBudget - spent);
    },
    reserve(terms, call) {
      if (objection(terms, call) !== undefined) return undefined;
      const { asset, amount } = terms;
      const taken = budgets ? budgets.take({ asset, host: call?.host ?? '', amount }) : () => {};
      // Another process has spent it meanwhile.
      if (taken === undefined) return undefined;
      spent += amount;
      let isHeld = true;
      return {
        giveBack() {
          if (!isHeld) return;
          isHeld = false;
          spent -= amount;
          taken();
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
