/** Words for numbers. */

const STROOPS_PER_XLM = 10_000_000;

const count = new Intl.NumberFormat('en');
const lumens = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 7 });

const cents = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const shownCount = (value: number): string => count.format(value);
export const shownXlm = (stroops: number): string => lumens.format(stroops / STROOPS_PER_XLM);

/** Returns lumens with two decimals, rounded down. */
export const shownBalance = (stroops: number): string => cents.format(Math.floor(stroops / 100_000) / 100);

/** Groups the digits of an amount in base units, which may be larger than a number can hold. */
export const shownAmount = (amount: string): string =>
  /^-?\d{1,40}$/.test(amount) ? count.format(BigInt(amount)) : amount;

/** Returns `1 payment` or `2 payments`. */
export const counted = (value: number, noun: string): string =>
  `${shownCount(value)} ${noun}${value === 1 ? '' : 's'}`;
