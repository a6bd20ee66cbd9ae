import type { SettlementRecord } from '../../../journal/index.ts';
import { printableAscii, printableJsonLine } from '../../printable.ts';
import type { Totals } from './run.ts';
import type { Difference } from './verdict.ts';

/** Writes what differs for people, or as a line of JSON. */
export function differenceText(
  { hash }: SettlementRecord,
  differences: readonly Difference[],
  json: boolean,
): string {
  if (json) return printableJsonLine({ hash, differences: differences.map(shown) });
  const lines = differences.map(
    ({ fact, here, there }) => `  ${fact}: ${word(here)} in the journal, ${word(there)} on the ledger\n`,
  );
  return `${printableAscii(hash)} differs:\n${lines.join('')}`;
}

const shown = ({ fact, here, there }: Difference): object => ({ fact, journal: here, ledger: there ?? null });

const word = (value: string | number | undefined): string => printableAscii(String(value ?? 'unknown'));

/** Writes the totals at the end. */
export function totalsText(totals: Totals, json: boolean): string {
  const { settlements, agree, differ, tooOld, unchecked, why, isComplete } = totals;
  if (json)
    return printableJsonLine({ summary: { settlements, agree, differ, tooOld, unchecked, why, isComplete } });
  return [
    `${counted(settlements)}: ${number(agree)} agree with the ledger, ${number(differ)} differ.`,
    ...(tooOld > 0
      ? [`${counted(tooOld)}: older than the history of the RPC nodes, so they cannot be checked.`]
      : []),
    ...(unchecked > 0 ? [`${counted(unchecked)}: not checked (${printableAscii(why ?? '')}).`] : []),
    ...(isComplete ? [] : ['The audit ended early, since no RPC node answers: run it again later.']),
    '',
  ].join('\n');
}

const number = (count: number): string => count.toLocaleString('en');
const counted = (count: number): string => `${number(count)} settlement${count === 1 ? '' : 's'}`;

/** Writes how far a long audit has come. */
export const progressText = ({ settlements, differ }: Totals): string =>
  `${counted(settlements)} looked up so far, ${number(differ)} differ …`;
