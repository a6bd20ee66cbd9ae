import type { ListedPrices } from '../catalog/prices.ts';
import type { AgentLimits } from '../limits.ts';
import type { CallLimit } from '../wallet/index.ts';

/** The price that the caller expects: its own limit, or else the prices that the listing shows. */
export interface Expectation {
  /** The most to pay, in base units of the asset that the offer asks for. */
  readonly maxAmount: bigint | undefined;
  /** Undefined if the target was not called by its listing and no search has shown it. */
  readonly listedPrices: ListedPrices | undefined;
}

/**
 * Limits what one call may pay, within the wallet's limits: a listing that shows a small price must not cost as much as
 * the cap. If the listing shows no price in an asset, there is nothing to compare an offer with, so the caller has to
 * set a limit.
 */
export function createCallLimit(
  { maxAmount, listedPrices }: Expectation,
  { maxTimesListed }: Pick<AgentLimits, 'maxTimesListed'>,
): CallLimit {
  if (maxAmount !== undefined)
    return ({ asset, amount }) =>
      amount > maxAmount
        ? `the price of ${amount} base units of ${asset} is above the maxAmount of ${maxAmount} for this call`
        : undefined;
  if (listedPrices === undefined) return () => undefined;
  return ({ asset, amount }) => {
    const listed = listedPrices.get(asset);
    if (listed === undefined)
      return `the price is ${amount} base units of ${asset}, and the listing shows no price above 0 in that asset; ${ASK}`;
    if (amount <= listed * BigInt(maxTimesListed)) return undefined;
    return `the price of ${amount} base units of ${asset} is more than ${maxTimesListed} times the listed price of ${listed}; ${ASK}`;
  };
}

const ASK = 'if the user agrees to pay that much, pass it as maxAmount';
