/** Words what `--check` found, for people. */
import { LUMENS, USDC, type Network } from '../stellar/networks.ts';
import { units } from '../stellar/units.ts';
import type { McpConfig } from './config.ts';
import type { Refusal } from './wallet/index.ts';

/** The network refuses to name the balance of an account without a trustline. */
export function holdingProblem({ code, message }: Refusal): string {
  return code === 'unavailable' ? message : `the account does not exist, or has no trustline (${message})`;
}

export function balanceText(held: bigint | Refusal, asset: string, network: Network): string {
  return typeof held === 'bigint'
    ? amountText(held, asset, network)
    : `${nameOf(asset, network)} unknown: ${holdingProblem(held)}`;
}

export function limitLines({ network, spend, allowedHosts }: McpConfig): [string, string][] {
  const { maxAmount, sessionBudget, allowedAssets } = spend;
  return [
    ['limits', `${maxAmount} base units for one payment, ${sessionBudget} for all payments of a process`],
    ['assets', allowedAssets.map((asset) => nameOf(asset, network)).join(', ')],
    ['hosts', allowedHosts?.join(', ') ?? 'any'],
  ];
}

/** `listings` is undefined if its catalog cannot be read. */
export function facilitatorText(url: string, listings: number | undefined): string {
  return `${url}, ${listings === undefined ? 'whose catalog cannot be read' : `whose catalog has ${listings} listings`}`;
}

export function amountText(amount: bigint, asset: string, network: Network): string {
  const base = `${amount} base units`;
  return nameOf(asset, network) === asset
    ? `${base} of ${asset}`
    : `${units(amount)} ${nameOf(asset, network)} (${base})`;
}

export function nameOf(asset: string, network: Network): string {
  return asset === USDC[network] ? 'USDC' : asset === LUMENS[network] ? 'XLM' : asset;
}
