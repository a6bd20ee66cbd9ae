/** Writes facts of records for people. */
import { LUMENS, USDC } from '../../stellar/networks.ts';
import { fixedUnits } from '../../stellar/units.ts';
import { printableAscii } from '../printable.ts';

const KNOWN_ASSETS = new Map([
  ...Object.values(USDC).map((contract) => [contract, 'USDC'] as const),
  ...Object.values(LUMENS).map((contract) => [contract, 'XLM'] as const),
]);

/** Writes 0.001 USDC for a known asset, else base units: 10000 CBIE…DAM. */
export function amountText(amount: string | undefined, asset: string | undefined): string {
  if (amount === undefined) return '';
  const known = KNOWN_ASSETS.get(asset ?? '');
  if (known === undefined || !/^\d+$/.test(amount))
    return `${printableAscii(amount)} ${shortAddress(asset)}`.trim();
  return `${fixedUnits(BigInt(amount)).replace(/\.?0+$/, '')} ${known}`;
}

/** Writes GABC…XYZ. */
export function shortAddress(address = ''): string {
  const text = printableAscii(address);
  return text.length <= 8 ? text : `${text.slice(0, 4)}…${text.slice(-3)}`;
}

/** Writes 2026-11-23 08:00:01 (UTC). */
export const timeText = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
