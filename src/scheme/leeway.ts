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
  /** Learns from a simulation with leeway whether code runs: base64 XDR of SorobanTransactionData. */
  learn(payment: Pick<Payment, 'payer' | 'asset'>, transactionData: string): void;
}

/** `known`: assets that run no code of their own. */
export function createLeeway(known: readonly string[]): Leeway {
  /** Known and learned assets, the latest last. An asset never becomes built in, nor stops being so. */
  const builtIn = new Set(known);

  return {
    of: ({ payer, asset }) => (isContract(payer) || !builtIn.has(asset) ? INSTRUCTION_LEEWAY : 0),
    learn({ payer, asset }, transactionData) {
      if (isContract(payer) || builtIn.has(asset) || readsCode(transactionData)) return;
      builtIn.add(asset);
      if (builtIn.size > MAX_BUILT_IN_ASSETS) builtIn.delete(builtIn.keys().next().value!);
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
