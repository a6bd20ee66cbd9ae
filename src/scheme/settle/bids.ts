import { nextLedger, type LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import { settlementFee, type FeePolicy, type SettlementFee } from '../verify/checks/fee.ts';
import type { InclusionFees } from './inclusionFees.ts';
import { isBidTooLow, type Outcome } from './outcome.ts';
import type { EndedAttempt } from './settlement.ts';

/** Decides what to bid for inclusion. */
export interface Bids {
  /** Returns what the first attempt bids for each operation, in stroops, before the policy bounds it. */
  first(): Promise<number>;
  /** Returns what the next attempt bids. If a bid that was too low is at its cap, waits for the next ledger. */
  raiseBid(attempt: EndedAttempt): Promise<number>;
}

export function createBids(deps: {
  inclusionFees: InclusionFees;
  feePolicy: FeePolicy;
  clock: LedgerClock;
  limits: Pick<SettleLimits, 'maxPollIntervalMs'>;
}): Bids {
  const { inclusionFees, feePolicy, clock, limits } = deps;
  return {
    first: () => inclusionFees.current(),
    async raiseBid({ bid, outcome }) {
      const wantedStroops = Math.max(await inclusionFees.current(), raised(bid, outcome));
      if (isBidTooLow(outcome) && !canRise(bid, wantedStroops, feePolicy))
        await nextLedger(clock, limits.maxPollIntervalMs);
      return wantedStroops;
    },
  };
}

/**
 * Returns stroops for each operation: twice the last bid, or what the network asks for if that is more. Returns 0 unless
 * the last bid was rejected as too low, or no ledger took the transaction before it expired.
 */
function raised(bid: SettlementFee, outcome: Outcome): number {
  if (outcome.state !== 'expired' && !isBidTooLow(outcome)) return 0;
  const operations = bid.feeBumpStroops === undefined ? 1 : 2;
  // The network asks for one fee for everything, resources included.
  const asked = outcome.state === 'rejected' ? (outcome.askedStroops ?? 0) - resourceStroops(bid) : 0;
  return Math.max(2 * bid.inclusionStroops, Math.ceil(asked / operations));
}

/** True if the policy allows a higher bid than `bid` when `wantedStroops` is wanted. */
function canRise(bid: SettlementFee, wantedStroops: number, policy: FeePolicy): boolean {
  return settlementFee(resourceStroops(bid), wantedStroops, policy).inclusionStroops > bid.inclusionStroops;
}

const resourceStroops = ({ transactionStroops, inclusionStroops }: SettlementFee): number =>
  transactionStroops - inclusionStroops;
