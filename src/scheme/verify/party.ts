import type { Payment } from '../payment.ts';
import type { Leeway } from './leeway.ts';

/**
 * The payer, if the asset is one of the network's own: there nothing moves without the payer's authorization. Any other
 * asset's code decides by itself who pays, and may name anybody: such payments count for the asset.
 */
export function partyOf(
  { payer = '', asset }: Pick<Payment, 'payer' | 'asset'>,
  leeway: Pick<Leeway, 'isBuiltIn'>,
): string {
  return leeway.isBuiltIn(asset) ? payer : asset;
}
