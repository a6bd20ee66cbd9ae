import { setImmediate as turn } from 'node:timers/promises';
import type { RecordFilters, Records, SettlementRecord } from './record.ts';

export interface Paging {
  /** Records that are in memory at a time. */
  readonly perPage: number;
  /** The most records that are read in all. */
  readonly limit?: number | undefined;
  /** Ends the reading. */
  readonly gone?: AbortSignal;
}

/** Reads records page by page; no page is empty. Payments get their turn in between. Throws if a page cannot be read. */
export async function* pagesOf(
  records: Pick<Records, 'page'>,
  filters: RecordFilters,
  { perPage, limit = Infinity, gone }: Paging,
): AsyncGenerator<readonly SettlementRecord[], void, undefined> {
  let left = limit;
  let next: string | undefined;
  do {
    const page = await records.page(filters, Math.min(left, perPage), next);
    if (page === undefined) throw new Error('a page has no successor');
    if (page.records.length > 0) yield page.records;
    left -= page.records.length;
    next = page.next;
    await turn();
  } while (left > 0 && next !== undefined && gone?.aborted !== true);
}
