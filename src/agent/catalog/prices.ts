/** Reads the prices that a listing shows. They were paid for it before; only the next 402 counts. */
import { isObject, type JsonObject } from '../json.ts';
import { byPreference } from '../wallet/index.ts';
import type { Network } from '../../stellar/networks.ts';
import { baseUnits } from '../../stellar/values.ts';

/** The network and the assets that the wallet pays in. */
export interface PaidIn {
  network: Network;
  allowedAssets: readonly string[];
}

/** The lowest listed price by asset, in base units. */
export type ListedPrices = ReadonlyMap<string, bigint>;

interface ListedPrice {
  readonly asset: string;
  readonly amount: bigint;
  /** The entry of the listing's `accepts` that names this price. */
  readonly entry: JsonObject;
}

/**
 * Returns the terms to show for a listing: those that the wallet would choose among offers, or else the first.
 * Undefined if there are none.
 */
export function shownTerms(listing: JsonObject, paidIn: PaidIn): JsonObject | undefined {
  const [preferred] = pricesOf(listing, paidIn);
  return preferred?.entry ?? entriesOf(listing)[0];
}

/**
 * Returns the lowest price in each allowed asset, as a search shows it: a seller that pays itself can list any higher
 * price beside it. A lower price that was shown before still counts: a seller can also push a price out of its listing.
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

/** Ignores `extra`, which the catalog leaves out of long terms. Leaves out a price of 0, which no wallet can pay. */
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
