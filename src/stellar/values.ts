/** Reads amounts and authorizations as Stellar writes them. */
import type { xdr } from '@stellar/stellar-sdk';

const MAX_INT128 = 2n ** 127n - 1n;

/** Returns the number in an i128 value; undefined for every other type, including other integers. */
export function int128(value: xdr.ScVal | undefined): bigint | undefined {
  return value?.type === 'scvI128' ? (value.i128.hi << 64n) | value.i128.lo : undefined;
}

/**
 * Parses an amount in base units as the contract writes it: plain decimal digits, no sign, no leading zero, within
 * i128. Returns undefined for everything else.
 */
export function baseUnits(text: unknown): bigint | undefined {
  if (typeof text !== 'string' || !/^(0|[1-9][0-9]{0,38})$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_INT128 ? amount : undefined;
}

/** Returns address credentials of either form (CAP-71 adds V2, whose signature also binds the address). */
export function addressCredentials(
  entry: xdr.SorobanAuthorizationEntry,
): xdr.SorobanAddressCredentials | undefined {
  switch (entry.credentials.type) {
    case 'sorobanCredentialsAddress':
      return entry.credentials.address;
    case 'sorobanCredentialsAddressV2':
      return entry.credentials.addressV2;
    default:
      return undefined;
  }
}
