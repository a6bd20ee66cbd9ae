import type { DiscoveryResource } from '../contract/index.ts';

/** What a listing is filtered by beside its facets. */
export interface Traits {
  /** When it was last paid for, in unix milliseconds; 0 if its row is damaged. */
  readonly paidAtMs: number;
  /** Its lowest amount under each of its terms (see {@link termsText}), in base units. */
  readonly prices: ReadonlyMap<string, number>;
  /** Until when it shows a proof, in unix milliseconds; 0 if it shows none. */
  readonly provenUntilMs: number;
}

/** The traits of a listing that says nothing. */
export const NO_TRAITS: Traits = { paidAtMs: 0, prices: new Map(), provenUntilMs: 0 };

export function traitsOf({
  accepts,
  lastUpdated,
  verified,
}: Pick<DiscoveryResource, 'accepts' | 'lastUpdated' | 'verified'>): Traits {
  const prices = new Map<string, number>();
  for (const { asset, scheme, network, amount } of accepts) {
    const terms = termsText(asset, scheme, network);
    prices.set(terms, Math.min(amountOf(amount), prices.get(terms) ?? Infinity));
  }
  const provenUntilMs = verified === undefined ? 0 : Date.parse(verified.until) || 0;
  return { paidAtMs: Date.parse(lastUpdated) || 0, prices, provenUntilMs };
}

/** Returns the text that stands for what is paid with, and how. Those of an asset have a beginning of their own. */
export const termsText = (asset: string, scheme: string, network: string): string =>
  JSON.stringify([asset, scheme, network]);

/** Returns the texts between which all terms of an asset are. */
export const termsOfAsset = (asset: string): readonly [from: string, before: string] => {
  const start = `[${JSON.stringify(asset)}`;
  return [`${start},`, `${start}-`];
};

/** Returns base units as a double. No price is as low as one that is not a number. */
export const amountOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Infinity);
