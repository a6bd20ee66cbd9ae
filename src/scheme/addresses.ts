import { StrKey } from '@stellar/stellar-sdk';
import type { xdr } from '@stellar/stellar-sdk';

/** An address as text (G…, C…, M…), or undefined where the value is none that can pay or be paid. */
export function addressText(value: xdr.ScVal): string | undefined {
  return value.type === 'scvAddress' ? scAddressText(value.address) : undefined;
}

export function scAddressText(address: xdr.ScAddress): string | undefined {
  switch (address.type) {
    case 'scAddressTypeAccount':
      return StrKey.encodeEd25519PublicKey(address.accountId.ed25519.value);
    case 'scAddressTypeContract':
      return StrKey.encodeContract(address.contractId.value);
    case 'scAddressTypeMuxedAccount':
      return muxedText(address.muxedAccount);
    default:
      return undefined;
  }
}

/** The account that stands behind a transaction's or an operation's source, as G…. */
export function sourceAccountText(source: xdr.MuxedAccount): string {
  const key = source.type === 'keyTypeEd25519' ? source.ed25519 : source.med25519.ed25519;
  return StrKey.encodeEd25519PublicKey(key.value);
}

/** A recipient taken apart: where the token credits it, and the id that the transfer event then carries (CAP-67). */
export interface Recipient {
  account: string;
  muxedId: bigint | undefined;
}

export function recipientOf(address: string): Recipient {
  if (!StrKey.isValidMed25519PublicKey(address)) return { account: address, muxedId: undefined };
  const raw = Buffer.from(StrKey.decodeMed25519PublicKey(address));
  return { account: StrKey.encodeEd25519PublicKey(raw.subarray(0, 32)), muxedId: raw.readBigUInt64BE(32) };
}

/** The account or contract behind an address: a muxed account's own account, any other address itself. */
export function baseAddress(address: string): string {
  return recipientOf(address).account;
}

function muxedText({ id, ed25519 }: { id: bigint; ed25519: { value: Uint8Array } }): string {
  const raw = Buffer.alloc(40);
  raw.set(ed25519.value, 0);
  raw.writeBigUInt64BE(id, 32);
  return StrKey.encodeMed25519PublicKey(raw);
}
