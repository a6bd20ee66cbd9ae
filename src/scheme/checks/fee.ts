import { INCLUSION_FEE_STROOPS } from '../limits.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';

/** What a settlement offers for its ledger. The client's own bid plays no part (specification 4.2). */
export interface SettlementFee {
  /** Of the transaction itself: inclusion and resources. */
  transactionStroops: number;
  /** Of the fee bump around it, which counts as one more operation; undefined without a fee-bump account. */
  feeBumpStroops: number | undefined;
}

export interface FeePolicy {
  /** `MAX_TRANSACTION_FEE_STROOPS`. */
  ceilingStroops: number;
  hasFeeBump: boolean;
}

export function settlementFee(resourceFeeStroops: number, policy: FeePolicy): SettlementFee {
  return {
    transactionStroops: INCLUSION_FEE_STROOPS + resourceFeeStroops,
    feeBumpStroops: policy.hasFeeBump ? 2 * INCLUSION_FEE_STROOPS + resourceFeeStroops : undefined,
  };
}

export function checkFee(fee: SettlementFee, policy: FeePolicy): Refusal | undefined {
  const total = fee.feeBumpStroops ?? fee.transactionStroops;
  if (total <= policy.ceilingStroops) return undefined;
  return refuse(
    'invalid_exact_stellar_payload_fee_exceeds_maximum',
    `Settling this payment would cost up to ${total} stroops; this facilitator pays at most ${policy.ceilingStroops}.`,
  );
}
