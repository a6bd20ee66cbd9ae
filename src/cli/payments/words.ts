/** Writes facts of records for people. */
import { amountWithCode } from '../../stellar/assets.ts';
import { printableAscii } from '../printable.ts';

/** Writes 0.001 USDC for a known asset, else base units: 10000 CBIE…DAM. */
export function amountText(amount: string | undefined, asset: string | undefined): string {
  if (amount === undefined) return '';
  const known = /^\d+$/.test(amount) ? amountWithCode(BigInt(amount), asset ?? '') : undefined;
  return known ?? `${printableAscii(amount)} ${shortAddress(asset)}`.trim();
}

/** Writes GABC…XYZ. */
export function shortAddress(address = ''): string {
  const text = printableAscii(address);
  return text.length <= 8 ? text : `${text.slice(0, 4)}…${text.slice(-3)}`;
}

/** Writes 2026-11-23 08:00:01 (UTC). */
export const timeText = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
