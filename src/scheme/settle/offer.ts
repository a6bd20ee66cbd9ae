/** Decides what to offer for inclusion after an offer that was too low. */
import { settlementFee } from '../verify/checks/fee.ts';
import type { FeePolicy, SettlementFee } from '../verify/checks/fee.ts';
import { isTooLow } from './doubt.ts';
import type { JournaledEnd } from './journal.ts';

/**
 * Returns stroops for each operation: twice the last offer, or what the network asks for if that is more. Returns 0
 * unless the last offer was rejected as too low, or no ledger took the transaction before it expired.
 */
export function raised(fee: SettlementFee, end: JournaledEnd): number {
  if (end.status !== 'never' && !isTooLow(end)) return 0;
  const operations = fee.feeBumpStroops === undefined ? 1 : 2;
  // The network asks for one fee for everything, resources included.
  const asked = end.status === 'rejected' ? (end.askedStroops ?? 0) - resourceStroops(fee) : 0;
  return Math.max(2 * fee.inclusionStroops, Math.ceil(asked / operations));
}

/** True if the policy allows a higher offer than `fee` when `wantedStroops` is wanted. */
export function canRise(fee: SettlementFee, wantedStroops: number, policy: FeePolicy): boolean {
  return settlementFee(resourceStroops(fee), wantedStroops, policy).inclusionStroops > fee.inclusionStroops;
}

const resourceStroops = ({ transactionStroops, inclusionStroops }: SettlementFee): number =>
  transactionStroops - inclusionStroops;
