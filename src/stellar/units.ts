/** Decimals of lumens, and of every asset that Stellar itself issues. */
const DECIMALS = 7;

/** Writes stroops or base units as whole units with all decimals, as the network does: 50000000n is 5.0000000. */
export function fixedUnits(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(DECIMALS + 1, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** Writes them for people, without zeros at the end: 50000000n is 5, 100000n is 0.01. */
export const units = (amount: bigint): string => fixedUnits(amount).replace(/\.?0+$/, '');

/** Does the same for a token with other decimals, from 0 to 38. */
export function tokenUnits(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(whole.length).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
