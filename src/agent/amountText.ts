import { amountWithCode, codeOfAsset } from '../stellar/assets.ts';

/** Writes an amount for people: in base units and, if the asset is known, with its unit. */
export function amountText(amount: bigint, asset: string): string {
  const known = amountWithCode(amount, asset);
  return known === undefined ? `${amount} base units of ${asset}` : `${known} (${amount} base units)`;
}

export const nameOf = (asset: string): string => codeOfAsset(asset) ?? asset;
