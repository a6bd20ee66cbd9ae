import { Address, scValToNative, xdr } from '@stellar/stellar-sdk';
import { refuse, type Refusal } from './refusal.ts';
import type { Simulation } from './simulation.ts';

/** Returns `balance(address)` on the asset's contract. */
export function balanceCall(address: string, asset: string): xdr.InvokeContractArgs {
  return new xdr.InvokeContractArgs({
    contractAddress: new Address(asset).toScAddress(),
    functionName: 'balance',
    args: [new Address(address).toScVal()],
  });
}

/** Reads the balance that such a call returned. */
export function balanceIn({ value }: Simulation): bigint | Refusal {
  try {
    const balance: unknown =
      value === undefined ? undefined : scValToNative(xdr.ScVal.fromXdr(value, 'base64'));
    if (typeof balance === 'bigint' && balance >= 0n) return balance;
  } catch {
    // Handled below.
  }
  return refuse('network', 'its contract names no balance');
}
