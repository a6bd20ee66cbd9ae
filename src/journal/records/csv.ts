/** Writes records as a table that spreadsheets read (RFC 4180). */
import type { SettlementRecord } from './record.ts';
import { SHOWN_NAMES, shownRecord } from './shown.ts';

/**
 * A spreadsheet takes a cell that begins with such a character for a formula, whatever spaces or quotes come first. Where
 * numbers have a decimal comma, it begins a cell at each semicolon, too, and takes no notice of our quotes: so a line of
 * the text may begin a row. Looks back from the character: long spaces are then passed over only once.
 */
const FORMULA = /[=+\-@＝＋－＠](?<=(?:^|[;\t\r\n])[\s\p{Cc}"]*.)/gu;
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
  const text = String(value).replace(FORMULA, "'$&");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
