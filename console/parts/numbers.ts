/** Words for numbers. */
import { amountWithCode } from '../../src/stellar/assets.ts';

const STROOPS_PER_XLM = 10_000_000;

const count = new Intl.NumberFormat('en');
const lumens = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 7 });

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const shownCount = (value: number): string => count.format(value);
export const shownXlm = (stroops: number): string => lumens.format(stroops / STROOPS_PER_XLM);

/** Returns lumens with two decimals, rounded down. */
export const shownBalance = (stroops: number): string => cents.format(Math.floor(stroops / 100_000) / 100);

/** Writes 0.01 USDC for an asset that has a name, else base units, which may be larger than a number can hold. */
export function shownAmount(amount: string, asset: string | undefined): string {
  if (!/^-?\d{1,40}$/.test(amount)) return amount;
  return amountWithCode(BigInt(amount), asset ?? '') ?? `${count.format(BigInt(amount))} base units`;
}

/** Returns `1 payment` or `2 payments`. */
export const counted = (value: number, noun: string): string =>
  `${shownCount(value)} ${noun}${value === 1 ? '' : 's'}`;
