/** The prices that a listing shows: what was paid for it before. What counts is the next 402. */
import { isObject } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { baseUnits, byPreference } from '../../wallet/index.ts';
import type { Network } from '../../wallet/index.ts';

/** What the wallet pays in. */
export interface PaidIn {
  network: Network;
  allowedAssets: readonly string[];
}

/** The lowest listed price by asset, in base units. */
export type ListedPrices = ReadonlyMap<string, bigint>;

interface ListedPrice {
  readonly asset: string;
  readonly amount: bigint;
  /** The entry of the listing's `accepts` that names it. */
  readonly entry: JsonObject;
}

/**
 * The terms to show for a listing: the cheapest in the wallet's allowed assets, as it would choose among offers; else
 * the first; undefined where there are none.
 */
export function shownTerms(listing: JsonObject, paidIn: PaidIn): JsonObject | undefined {
  const [preferred] = pricesOf(listing, paidIn);
  return preferred?.entry ?? entriesOf(listing)[0];
}

/**
 * The lowest price in each allowed asset, as a search shows it: a seller can list any higher one beside it, by paying
 * itself. With what was shown before, where that was lower: a seller can also push a price out of its listing.
 */
export function lowestPrices(
  listing: JsonObject,
  paidIn: PaidIn,
  shown: ListedPrices = new Map(),
): ListedPrices {
  const lowest = new Map(shown);
  for (const { asset, amount } of pricesOf(listing, paidIn)) {
    const known = lowest.get(asset);
    if (known === undefined || amount < known) lowest.set(asset, amount);
  }
  return lowest;
}

/** `extra` does not matter: the catalog leaves it out of long terms. A price of 0 is none, since no wallet can pay it. */
function pricesOf(listing: JsonObject, { network, allowedAssets }: PaidIn): ListedPrice[] {
  const prices = entriesOf(listing).flatMap((entry) => {
    const { scheme, asset } = entry;
    const amount = baseUnits(entry['amount']);
    const isPrice = scheme === 'exact' && entry['network'] === network && amount !== undefined && amount > 0n;
    return isPrice && typeof asset === 'string' ? { asset, amount, entry } : [];
  });
  return byPreference(prices, allowedAssets);
}

function entriesOf({ accepts }: JsonObject): JsonObject[] {
  return (Array.isArray(accepts) ? accepts : []).filter(isObject);
}
