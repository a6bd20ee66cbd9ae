/** Writes records as a table that spreadsheets read (RFC 4180). */
import type { SettlementRecord } from './record.ts';
import { SHOWN_NAMES, shownRecord } from './shown.ts';

/** A spreadsheet takes a text that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

export const csvHeader = lineOf(SHOWN_NAMES);

export function csvLine(record: SettlementRecord): string {
  const shown = shownRecord(record);
  return lineOf(SHOWN_NAMES.map((name) => shown[name]));
}

function lineOf(values: readonly (string | number | undefined)[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | number | undefined = ''): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
