import { LUMENS, USDC, type Network } from '../stellar/networks.ts';
import { units } from '../stellar/units.ts';

/** Writes an amount with its unit: in units of the asset and in base units if the asset is known, for people. */
export function amountText(amount: bigint, asset: string, network: Network): string {
  const base = `${amount} base units`;
  return nameOf(asset, network) === asset
    ? `${base} of ${asset}`
    : `${units(amount)} ${nameOf(asset, network)} (${base})`;
}

export function nameOf(asset: string, network: Network): string {
  return asset === USDC[network] ? 'USDC' : asset === LUMENS[network] ? 'XLM' : asset;
}
