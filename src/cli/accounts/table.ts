import type { Listing, Settlements } from './listing.ts';

const HEAD = ['ADDRESS', 'BALANCE XLM', 'SPENDABLE XLM', 'SEQUENCE', 'SETTLEMENTS AT LEAST', 'USUALLY'];

/** Writes a listing for people. */
export function tableOf({ network, feeStroops, accounts, total }: Listing): string {
  const counts = (settlements: Settlements | null): string[] =>
    settlements === null
      ? ['-', '-']
      : [settlements.atLeast, settlements.usually].map((count) => count.toLocaleString('en'));
  const rows = accounts.map(({ address, balance, spendable, sequence, settlements }) => [
    address,
    balance ?? 'no account',
    spendable ?? '-',
    sequence ?? '-',
    ...counts(settlements),
  ]);
  const last = ['total', total.balance, total.spendable, '', ...counts(total.settlements)];
  const missing = accounts.filter(({ exists }) => !exists).length;
  const feeBump = accounts.find(({ role }) => role === 'feeBump');
  return [
    `Accounts on ${network}:`,
    ...aligned([HEAD, ...rows, last]),
    '',
    `Settlements at least: at ${feeStroops.highest} stroops each, the most that is bid (MAX_TRANSACTION_FEE_STROOPS).`,
    `Usually: at ${feeStroops.usual} stroops each, the network's typical charge.`,
    ...(feeBump
      ? [`${feeBump.address} pays all fees (FEE_BUMP_SECRET); submitters only need to exist.`]
      : []),
    ...(missing > 0
      ? [
          `${missing} of them ${missing === 1 ? 'does' : 'do'} not exist on ${network}: fund them with lumens.`,
        ]
      : []),
  ].join('\n');
}

/** Aligns the first column to the left, and the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}
