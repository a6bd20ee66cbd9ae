import { xdr } from '@stellar/stellar-sdk';
import { INSTRUCTION_LEEWAY, MAX_BUILT_IN_ASSETS } from './limits.ts';
import type { Payment } from './payment.ts';

/** How many instructions a payment's settlement may use beyond what its simulation did. */
export interface Leeway {
  /**
   * None if only the network's own contracts run, whose cost the simulation knows. If contract code of the payer's
   * account or of the asset may run, that may cost more on the ledger.
   */
  of(payment: Pick<Payment, 'payer' | 'asset'>): number;
  /** True if it is known that the asset runs no code of its own: then nothing moves without its payer's authorization. */
  isBuiltIn(asset: string): boolean;
  /** Learns from a simulation with leeway whether code runs: base64 XDR of SorobanTransactionData. */
  learn(payment: Pick<Payment, 'payer' | 'asset'>, transactionData: string): void;
}

/** `known`: assets that run no code of their own. */
export function createLeeway(known: readonly string[]): Leeway {
  /** The latest last. An asset never becomes built in, nor stops being so. */
  const learned = new Set<string>();
  const isBuiltIn = (asset: string): boolean => known.includes(asset) || learned.has(asset);

  return {
    isBuiltIn,
    of: ({ payer, asset }) => (isContract(payer) || !isBuiltIn(asset) ? INSTRUCTION_LEEWAY : 0),
    learn({ payer, asset }, transactionData) {
      if (isContract(payer) || isBuiltIn(asset) || readsCode(transactionData)) return;
      learned.add(asset);
      if (learned.size > MAX_BUILT_IN_ASSETS) learned.delete(learned.keys().next().value!);
    },
  };
}

function isContract(payer: string | undefined): boolean {
  return payer?.startsWith('C') ?? true;
}

/** True also if that cannot be told. */
function readsCode(transactionData: string): boolean {
  const data = decodeData(transactionData);
  if (data === undefined) return true;
  const { footprint } = data.resources;
  return [...footprint.readOnly, ...footprint.readWrite].some(({ type }) => type === 'contractCode');
}

function decodeData(transactionData: string): xdr.SorobanTransactionData | undefined {
  try {
    return xdr.SorobanTransactionData.fromXdr(transactionData, 'base64');
  } catch {
    return undefined;
  }
}
