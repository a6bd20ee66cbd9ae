/** Words what `--check` found, for people. */
import { amountText, nameOf } from './amountText.ts';
import type { McpConfig } from './config.ts';
import type { Refusal } from './wallet/index.ts';

/** The network refuses to name the balance of an account without a trustline. */
export function holdingProblem({ code, message }: Refusal): string {
  return code === 'unavailable' ? message : `the account does not exist, or has no trustline (${message})`;
}

export function balanceText(held: bigint | Refusal, asset: string): string {
  return typeof held === 'bigint'
    ? amountText(held, asset)
    : `${nameOf(asset)} unknown: ${holdingProblem(held)}`;
}

export function limitLines({ spend, approveAbove, allowedHosts }: McpConfig): (readonly [string, string])[] {
  const { maxAmount, sessionBudget, allowedAssets, daily } = spend;
  return [
    ['limits', `${maxAmount} base units for one payment, ${sessionBudget} for all payments of a session`],
    ...(daily === undefined
      ? []
      : [
          [
            'a day',
            `${daily.perAsset ?? 'any'} base units for each asset, ${daily.perHost ?? 'any'} for each host`,
          ] as const,
        ]),
    ...(approveAbove === undefined
      ? []
      : [['approval', `asks a person before it pays more than ${approveAbove} base units`] as const]),
    ['assets', allowedAssets.map((asset) => nameOf(asset)).join(', ')],
    ['hosts', allowedHosts?.join(', ') ?? 'any'],
  ];
}

/** `listings` is undefined if its catalog cannot be read. */
export function facilitatorText(url: string, listings: number | undefined): string {
  if (listings === undefined) return `${url}, whose catalog cannot be read`;
  return `${url}, whose catalog has ${listings} ${listings === 1 ? 'listing' : 'listings'}`;
}
