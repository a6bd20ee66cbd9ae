/** Reads and builds addresses, and values that the ledger itself looks into. */
import { Address, nativeToScVal, scValToNative, StrKey, xdr } from '@stellar/stellar-sdk';

export function accountId(raw: Uint8Array): xdr.AccountId {
  return xdr.PublicKey.publicKeyTypeEd25519(raw);
}

export function rawAccountId(id: xdr.AccountId): Uint8Array {
  return id.ed25519.value;
}

/** Reads an account (G…) or contract (C…) address; undefined for any other text. */
export function parseAddress(text: string): xdr.ScAddressAccount | xdr.ScAddressContract | undefined {
  if (!StrKey.isValidEd25519PublicKey(text) && !StrKey.isValidContract(text)) return undefined;
  return new Address(text).toScAddress() as xdr.ScAddressAccount | xdr.ScAddressContract;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Returns what an asset contract stores for a contract that holds the asset. */
export function contractBalance(amount: bigint): xdr.ScVal {
  return nativeToScVal(
    { amount, authorized: true, clawback: false },
    { type: { amount: ['symbol', 'i128'], authorized: ['symbol'], clawback: ['symbol'] } },
  );
}

export function amountIn(balance: xdr.ScVal): bigint {
  return (scValToNative(balance) as { amount: bigint }).amount;
}
