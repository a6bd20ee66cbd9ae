/** Short builders and readers of contract values (ScVal) and addresses. */
import { StrKey, xdr } from '@stellar/stellar-sdk';

export type Value = xdr.ScVal;

export const VOID = xdr.ScVal.scvVoid();
/** From text, or from the bytes that a call names its function by. */
export const symbol = (text: string | xdr.InvokeContractArgs['functionName']): Value =>
  xdr.ScVal.scvSymbol(text);
export const string = (text: string): Value => xdr.ScVal.scvString(text);
export const bytes = (value: Uint8Array): Value => xdr.ScVal.scvBytes(value);
export const u32 = (value: number): Value => xdr.ScVal.scvU32(value);
export const u64 = (value: bigint): Value => xdr.ScVal.scvU64(value);
export const i64 = (value: bigint): Value => xdr.ScVal.scvI64(value);
export const bool = (value: boolean): Value => xdr.ScVal.scvBool(value);
export const addressValue = (address: xdr.ScAddress): Value => xdr.ScVal.scvAddress(address);
export const vec = (...items: Value[]): Value => xdr.ScVal.scvVec(items);

export function i128(value: bigint): Value {
  return xdr.ScVal.scvI128(
    new xdr.Int128Parts({ hi: BigInt.asIntN(64, value >> 64n), lo: BigInt.asUintN(64, value) }),
  );
}

/** A map with symbol keys; give the fields in alphabetical order, as the host stores them. */
export function map(fields: Record<string, Value>): Value {
  return xdr.ScVal.scvMap(
    Object.entries(fields).map(([key, val]) => new xdr.ScMapEntry({ key: symbol(key), val })),
  );
}

export function i128Of(value: Value): bigint | undefined {
  return value.type === 'scvI128' ? (value.i128.hi << 64n) + value.i128.lo : undefined;
}

/** The value of a symbol key in a map, if it is one and has it. */
export function fieldOf(value: Value, name: string): Value | undefined {
  if (value.type !== 'scvMap') return undefined;
  return value.map?.find(({ key }) => key.type === 'scvSymbol' && key.sym.toString() === name)?.val;
}

export function accountId(raw: Uint8Array): xdr.AccountId {
  return xdr.PublicKey.publicKeyTypeEd25519(raw);
}

export function rawAccountId(id: xdr.AccountId): Uint8Array {
  return id.ed25519.value;
}

export function accountAddress(id: xdr.AccountId): xdr.ScAddress {
  return xdr.ScAddress.scAddressTypeAccount(id);
}

export function contractAddress(raw: Uint8Array): xdr.ScAddress {
  return xdr.ScAddress.scAddressTypeContract(new xdr.ContractId(raw));
}

/** Account (G…) or contract (C…) address; undefined for other text. */
export function parseAddress(text: string): xdr.ScAddress | undefined {
  if (StrKey.isValidEd25519PublicKey(text))
    return accountAddress(accountId(StrKey.decodeEd25519PublicKey(text)));
  if (StrKey.isValidContract(text)) return contractAddress(StrKey.decodeContract(text));
  return undefined;
}

/** An account or contract: the only addresses that hold balances, agree to calls and are called. */
export type Holder = xdr.ScAddressAccount | xdr.ScAddressContract;

export function isHolder(address: xdr.ScAddress): address is Holder {
  return address.type === 'scAddressTypeAccount' || address.type === 'scAddressTypeContract';
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function sameAddress(a: xdr.ScAddress, b: xdr.ScAddress): boolean {
  return a.type === b.type && sameBytes(rawAddress(a), rawAddress(b));
}

function rawAddress(address: xdr.ScAddress): Uint8Array {
  if (address.type === 'scAddressTypeAccount') return rawAccountId(address.accountId);
  return address.type === 'scAddressTypeContract' ? address.contractId.value : address.toXdr();
}
