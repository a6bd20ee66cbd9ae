import type { Payment } from '../payment.ts';
import type { Leeway } from './leeway.ts';

/**
 * Returns the party that a payment counts for. That is the payer if the asset is one of the network's own, since
 * nothing moves there without the payer's authorization. Any other asset's code decides who pays and may name anybody,
 * so such payments count for the asset.
 */
export function partyOf(
  { payer = '', asset }: Pick<Payment, 'payer' | 'asset'>,
  leeway: Pick<Leeway, 'isBuiltIn'>,
): string {
  return leeway.isBuiltIn(asset) ? payer : asset;
}
