import { type CodeCost, codeKeysIn } from './contractCode.ts';
import { INSTRUCTION_LEEWAY, MAX_BUILT_IN_ASSETS, MAX_LEEWAYS } from '../limits.ts';
import type { Payment } from '../payment.ts';
import type { Purpose } from '../../stellar/rpc/transport.ts';

/** Tells how many instructions a payment's settlement may use beyond its simulation. */
export interface Leeway {
  /**
   * Returns 0 if only the network's own contracts run, whose cost the simulation knows. Contract code of the payer's
   * account or of the asset may cost more on the ledger.
   */
  of(payment: Pick<Payment, 'payer' | 'asset'>): number;
  /** True if the asset is known to run no code of its own: then nothing moves without its payer's authorization. */
  isBuiltIn(asset: string): boolean;
  /**
   * Learns from a simulation with leeway which code runs, and returns the leeway that it needs: the more code, the more
   * leeway. Takes base64 XDR of SorobanTransactionData. Asks the RPC for code not seen before; throws if that fails.
   */
  learn(
    payment: Pick<Payment, 'payer' | 'asset'>,
    transactionData: string,
    purpose: Purpose,
  ): Promise<number>;
}

/** Starts with `known`: assets that run no code of their own. */
export function createLeeway(known: readonly string[], codeCost: CodeCost): Leeway {
  /** Assets found to be built in, newest last. An asset never becomes built in, nor stops being so. */
  const learned = new Set<string>();
  /** Leeways above the usual one, by payer and asset, newest last. */
  const leeways = new Map<string, number>();
  const isBuiltIn = (asset: string): boolean => known.includes(asset) || learned.has(asset);
  const pairOf = ({ payer, asset }: Pick<Payment, 'payer' | 'asset'>): string => `${payer} ${asset}`;

  return {
    isBuiltIn,
    of(payment) {
      if (!isContract(payment.payer) && isBuiltIn(payment.asset)) return 0;
      return leeways.get(pairOf(payment)) ?? INSTRUCTION_LEEWAY;
    },
    async learn(payment, transactionData, purpose) {
      const keys = codeKeysIn(transactionData);
      if (keys === undefined) return INSTRUCTION_LEEWAY;
      if (keys.length === 0 && !isContract(payment.payer) && !isBuiltIn(payment.asset)) {
        learned.add(payment.asset);
        if (learned.size > MAX_BUILT_IN_ASSETS) learned.delete(learned.keys().next().value!);
      }
      const leeway = Math.max(INSTRUCTION_LEEWAY, await codeCost(keys, purpose));
      leeways.delete(pairOf(payment));
      if (leeway > INSTRUCTION_LEEWAY) leeways.set(pairOf(payment), leeway);
      if (leeways.size > MAX_LEEWAYS) leeways.delete(leeways.keys().next().value!);
      return leeway;
    },
  };
}

function isContract(payer: string | undefined): boolean {
  return payer?.startsWith('C') ?? true;
}
