/** What to offer for inclusion where the last offer was too low. */
import { settlementFee } from '../verify/checks/fee.ts';
import type { FeePolicy, SettlementFee } from '../verify/checks/fee.ts';
import { isTooLow } from './doubt.ts';
import type { JournaledEnd } from './journal.ts';

/** Stroops for each operation: twice the last offer, or what the network asks if it is more; 0 where it was not too low. */
export function raised(fee: SettlementFee, end: JournaledEnd): number {
  if (end.status !== 'never' && !isTooLow(end)) return 0;
  const operations = fee.feeBumpStroops === undefined ? 1 : 2;
  // Asked for is a fee for all of it, resources included.
  const asked = end.status === 'rejected' ? (end.askedStroops ?? 0) - resourceStroops(fee) : 0;
  return Math.max(2 * fee.inclusionStroops, Math.ceil(asked / operations));
}

/** Whether the policy allows to offer more than that, where so much is wanted. */
export function canRise(fee: SettlementFee, wantedStroops: number, policy: FeePolicy): boolean {
  return settlementFee(resourceStroops(fee), wantedStroops, policy).inclusionStroops > fee.inclusionStroops;
}

const resourceStroops = ({ transactionStroops, inclusionStroops }: SettlementFee): number =>
  transactionStroops - inclusionStroops;
