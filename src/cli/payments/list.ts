import {
  csvHeader,
  csvLine,
  pagesOf,
  shownRecord,
  type RecordFilters,
  type SettlementRecord,
} from '../../journal/index.ts';
import type { Context, Terminal } from '../command.ts';
import { printableAscii, printableJsonLine } from '../printable.ts';
import type { Format } from './arguments.ts';
import { PAGE_RECORDS, withRecords } from './store.ts';
import { createTable } from './table.ts';

/** More would push the newest out of the window. */
const DEFAULT_ROWS = 50;

interface Order {
  readonly filters: RecordFilters;
  readonly limit: number | undefined;
  readonly format: Format;
}

interface Writer {
  readonly head: string;
  line(record: SettlementRecord): string;
}

/** Shows the matching records, newest first. Throws a Failure. */
export async function listPayments(
  { filters, limit, format }: Order,
  { environment, terminal }: Context,
): Promise<void> {
  const most = limit ?? (format === 'table' ? DEFAULT_ROWS : Infinity);
  const { head, line } = writerOf(format, terminal);
  await withRecords(environment, async (records) => {
    let shown = 0;
    // One more than asked for shows whether others follow.
    for await (const page of pagesOf(records, filters, { perPage: PAGE_RECORDS, limit: most + 1 })) {
      const lines = page.slice(0, most - shown).map(line);
      if (!(await terminal.write((shown === 0 ? head : '') + lines.join('')))) return;
      shown += page.length;
    }
    if (shown === 0 && format === 'csv') await terminal.write(head);
    if (shown === 0 && format === 'table') terminal.say('No settlement matches.');
    if (shown > most && limit === undefined) terminal.note('There are older ones: --limit shows more.');
  });
}

function writerOf(format: Format, { columns }: Terminal): Writer {
  if (format === 'json') return { head: '', line: (record) => printableJsonLine(shownRecord(record)) };
  if (format === 'csv') {
    // A file gets every character, a window none that could control it.
    const written = (text: string): string =>
      columns === undefined ? text : `${printableAscii(text.trimEnd())}\r\n`;
    return { head: csvHeader, line: (record) => written(csvLine(record)) };
  }
  const table = createTable(columns);
  return { head: `${table.head}\n`, line: (record) => `${table.row(record)}\n` };
}
