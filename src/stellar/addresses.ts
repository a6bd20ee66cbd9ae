import { Address, StrKey, type xdr } from '@stellar/stellar-sdk';
import { muxedContractAddress, muxedContractIn } from './muxedContract.ts';
import { decodeMuxedContract, encodeMuxedContract } from './muxedContractText.ts';

/** Returns an address as text (G…, C…, M…, W…); undefined if the value is not one that can pay or be paid. */
export function addressText(value: xdr.ScVal): string | undefined {
  return value.type === 'scvAddress' ? scAddressText(value.address) : undefined;
}

export function scAddressText(address: xdr.ScAddress): string | undefined {
  const muxedContract = muxedContractIn(address);
  if (muxedContract !== undefined) return encodeMuxedContract(muxedContract);
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

/** Does the opposite of scAddressText. Throws if the text is not an address. */
export function scAddressOf(text: string): xdr.ScAddress {
  const muxedContract = decodeMuxedContract(text);
  return muxedContract === undefined ? new Address(text).toScAddress() : muxedContractAddress(muxedContract);
}

/** Returns the account behind a transaction's or an operation's source, as G…. */
export function sourceAccountText(source: xdr.MuxedAccount): string {
  const key = source.type === 'keyTypeEd25519' ? source.ed25519 : source.med25519.ed25519;
  return StrKey.encodeEd25519PublicKey(key.value);
}

/** True for every address that a transfer can pay: G…, C…, M… and W…. */
export function isRecipient(text: string): boolean {
  return (
    StrKey.isValidEd25519PublicKey(text) ||
    StrKey.isValidContract(text) ||
    StrKey.isValidMed25519PublicKey(text) ||
    isMuxedContract(text)
  );
}

/** The first protocol that knows W… (CAP-84). */
export const MUXED_CONTRACT_PROTOCOL = 30;

/** True if a network says that its protocol is too old for these addresses. */
export function lacksMuxedContracts(protocolVersion: unknown): protocolVersion is number {
  return typeof protocolVersion === 'number' && protocolVersion < MUXED_CONTRACT_PROTOCOL;
}

/** True for W…. */
export function isMuxedContract(text: string): boolean {
  return decodeMuxedContract(text) !== undefined;
}

/** A recipient in parts: the address that the token credits, and the id in the transfer event (CAP-67, CAP-84). */
export interface Recipient {
  /** G… or C…. */
  base: string;
  muxedId: bigint | undefined;
}

export function recipientOf(address: string): Recipient {
  const muxedContract = decodeMuxedContract(address);
  if (muxedContract !== undefined) return { base: muxedContract.contract, muxedId: muxedContract.id };
  if (!StrKey.isValidMed25519PublicKey(address)) return { base: address, muxedId: undefined };
  const raw = Buffer.from(StrKey.decodeMed25519PublicKey(address));
  return { base: StrKey.encodeEd25519PublicKey(raw.subarray(0, 32)), muxedId: raw.readBigUInt64BE(32) };
}

/** Returns the account or contract behind a muxed address; returns any other address unchanged. */
export function baseAddress(address: string): string {
  return recipientOf(address).base;
}

function muxedText({ id, ed25519 }: { id: bigint; ed25519: { value: Uint8Array } }): string {
  const raw = Buffer.alloc(40);
  raw.set(ed25519.value, 0);
  raw.writeBigUInt64BE(id, 32);
  return StrKey.encodeMed25519PublicKey(raw);
}
