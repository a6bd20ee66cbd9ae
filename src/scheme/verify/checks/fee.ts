import { refuse, type Refusal } from '../../refusal.ts';

/** The fees that a settlement bids. The client's own bid plays no part. */
export interface SettlementFee {
  /** The bid for inclusion, for each operation. */
  inclusionStroops: number;
  /** The fee of the transaction itself: inclusion and resources. */
  transactionStroops: number;
  /** The fee of the fee bump around it, which counts as one more operation; undefined without a fee-bump account. */
  feeBumpStroops: number | undefined;
}

export interface FeePolicy {
  /** `MAX_TRANSACTION_FEE_STROOPS`. */
  ceilingStroops: number;
  /** `MIN_INCLUSION_FEE_STROOPS` and `MAX_INCLUSION_FEE_STROOPS`, for each operation. */
  minInclusionStroops: number;
  maxInclusionStroops: number;
  hasFeeBump: boolean;
}

/** Returns the fee that bids `wantedStroops` for inclusion, within the policy. Expects one that passed `checkFee`. */
export function settlementFee(
  resourceFeeStroops: number,
  wantedStroops: number,
  policy: FeePolicy,
): SettlementFee {
  const { minInclusionStroops: min, maxInclusionStroops: max, ceilingStroops, hasFeeBump } = policy;
  const affordable = Math.floor((ceilingStroops - resourceFeeStroops) / operationsOf(policy));
  const inclusionStroops = Math.max(min, Math.min(wantedStroops, max, affordable));
  return {
    inclusionStroops,
    transactionStroops: inclusionStroops + resourceFeeStroops,
    feeBumpStroops: hasFeeBump ? 2 * inclusionStroops + resourceFeeStroops : undefined,
  };
}

/** Returns the most that the network may take for the settlement. */
export const totalStroops = ({ transactionStroops, feeBumpStroops }: SettlementFee): number =>
  feeBumpStroops ?? transactionStroops;

/** Refuses a payment that costs more than the ceiling even with the lowest bid for inclusion. */
export function checkFee(
  resourceFeeStroops: number,
  policy: FeePolicy,
  isFirstToContract: () => boolean,
): Refusal | undefined {
  const total = resourceFeeStroops + operationsOf(policy) * policy.minInclusionStroops;
  if (total <= policy.ceilingStroops) return undefined;
  const why = isFirstToContract() ? FIRST_TO_CONTRACT : '';
  return refuse(
    'invalid_exact_stellar_payload_fee_exceeds_maximum',
    `Settling this payment would cost up to ${total} stroops; this facilitator pays at most ${policy.ceilingStroops}.${why}`,
  );
}

const FIRST_TO_CONTRACT =
  ' The recipient is a contract that has never held this asset: the first payment also pays rent for the entry of its balance. Send the contract one base unit once, by a wallet; later payments cost less. Or ask the operator to raise MAX_TRANSACTION_FEE_STROOPS.';

const operationsOf = ({ hasFeeBump }: FeePolicy): number => (hasFeeBump ? 2 : 1);
