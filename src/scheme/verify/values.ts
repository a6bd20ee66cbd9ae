import type { xdr } from '@stellar/stellar-sdk';

const MAX_INT128 = 2n ** 127n - 1n;

/** The number in an i128 value; undefined for every other type, also for other integers (specification 4.1). */
export function int128(value: xdr.ScVal | undefined): bigint | undefined {
  return value?.type === 'scvI128' ? (value.i128.hi << 64n) | value.i128.lo : undefined;
}

/** An amount in base units as the contract writes it: plain decimal digits, no sign, no leading zero, within i128. */
export function canonicalAmount(text: string): bigint | undefined {
  if (!/^(0|[1-9][0-9]{0,38})$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_INT128 ? amount : undefined;
}
