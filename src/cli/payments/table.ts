import type { SettlementRecord } from '../../journal/index.ts';
import { printableAscii } from '../printable.ts';
import { amountText, shortAddress, timeText } from './words.ts';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly isRight?: boolean;
  /** A column with a higher rank gives way first where the window is narrow. */
  readonly rank: number;
  text(record: SettlementRecord): string;
}

/** The last column takes the rest of the line, but not less than this. */
const MIN_LAST_WIDTH = 14;
const HIGHEST_RANK = 4;
const GAP = '  ';

const HASH_CHARS = 64;
const ADDRESS_CHARS = 56;
const SHORT_HASH_CHARS = 8;
const SHORT_ADDRESS_CHARS = 8;

/** A table whose widths are known before its rows. */
export interface Table {
  readonly head: string;
  row(record: SettlementRecord): string;
}

/** Fits the table to a window of so many columns. Without a window nothing is cut. */
export function createTable(columns: number | undefined): Table {
  const shown = columnsFor(columns);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => fitted(cell, shown[index]!, columns !== undefined))
      .join(GAP)
      .trimEnd();
  return {
    head: line(shown.map(({ title }) => title)),
    row: (record) => line(shown.map((column) => column.text(record))),
  };
}

function columnsFor(columns: number | undefined): Column[] {
  const isWindow = columns !== undefined;
  const addressChars = isWindow ? SHORT_ADDRESS_CHARS : ADDRESS_CHARS;
  const address = isWindow ? shortAddress : (text = ''): string => printableAscii(text);
  const hashChars = isWindow ? SHORT_HASH_CHARS : HASH_CHARS;
  const all: Column[] = [
    { title: 'SENT (UTC)', width: 19, rank: 0, text: ({ sentAt }) => timeText(sentAt) },
    { title: 'STATUS', width: 9, rank: 0, text: ({ status }) => status },
    {
      title: 'AMOUNT',
      width: 16,
      isRight: true,
      rank: 0,
      text: ({ amount, asset }) => amountText(amount, asset),
    },
    {
      title: 'PAYER → PAID',
      width: 2 * addressChars + 3,
      rank: 0,
      text: ({ payer, payTo }) => `${address(payer)} → ${payTo === undefined ? '?' : address(payTo)}`,
    },
    {
      title: 'HASH',
      width: hashChars,
      rank: 1,
      text: ({ hash }) => printableAscii(hash).slice(0, hashChars),
    },
    { title: 'LEDGER', width: 8, isRight: true, rank: 3, text: ({ ledger }) => String(ledger ?? '') },
    { title: 'FEE', width: 6, isRight: true, rank: 4, text: ({ feeStroops }) => String(feeStroops ?? '') },
    {
      title: 'CODE, RESOURCE',
      width: MIN_LAST_WIDTH,
      rank: 2,
      text: ({ code = '', resource = '' }) => printableAscii(`${code} ${resource}`.trim()),
    },
  ];
  return isWindow ? narrowed(all, columns) : all;
}

/** Leaves out what has no room, and gives the last column what is left over. */
function narrowed(all: readonly Column[], columns: number): Column[] {
  const widthOf = (shown: readonly Column[]): number =>
    shown.reduce((sum, { width }) => sum + width, GAP.length * (shown.length - 1));
  const isTooWide = (shown: readonly Column[]): boolean => widthOf(shown) > columns;
  let shown = [...all];
  for (let rank = HIGHEST_RANK; rank > 0 && isTooWide(shown); rank -= 1)
    shown = shown.filter((column) => column.rank !== rank);
  const spare = Math.max(0, columns - widthOf(shown));
  return shown.map((column) => (column === all.at(-1) ? { ...column, width: column.width + spare } : column));
}

function fitted(cell: string, { width, isRight = false }: Column, isCut: boolean): string {
  const text = isCut && cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
  return isRight ? text.padStart(width) : text.padEnd(width);
}
