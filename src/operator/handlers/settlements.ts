import type { OperatorHandlers, OperatorIn, ShownProgress } from '../../contract/index.ts';
import {
  csvHeader,
  csvLine,
  pagesOf,
  shownRecord,
  type EventProgress,
  type RecordFilters,
  type Records,
  type SettlementRecord,
} from '../../journal/index.ts';
import type { OperatorLimits } from '../limits.ts';
import { known } from '../known.ts';
import { refuse, UNKNOWN_CURSOR } from '../refusal.ts';
import type { WatchedWebhooks } from './webhooks.ts';

type SettlementHandlers = Pick<OperatorHandlers, 'listSettlements' | 'getSettlement' | 'exportSettlements'>;

const DEFAULT_LIMIT = 50;

/** Shows the settlements in the journal. */
export function createSettlementHandlers(
  records: Records,
  webhooks: Pick<WatchedWebhooks, 'ofSettlement'> | undefined,
  { exportedAtATime }: Pick<OperatorLimits, 'exportedAtATime'>,
): SettlementHandlers {
  return {
    async listSettlements({ query }) {
      const page = await records.page(filtersOf(query), query.limit ?? DEFAULT_LIMIT, query.cursor);
      if (page === undefined) return UNKNOWN_CURSOR;
      const settlements = page.records.map(shownRecord);
      return { status: 200, body: known({ settlements, next: page.next }) };
    },
    async getSettlement({ path: { hash } }) {
      const record = await records.withHash(hash);
      if (record === undefined)
        return refuse('op_not_found', 'The journal has no settlement with this hash.');
      const progress = await webhooks?.ofSettlement(hash);
      const webhook = progress && shownProgress(progress);
      return { status: 200, body: known({ ...shownRecord(record), webhook }) };
    },
    exportSettlements({ query, gone }) {
      const pages = pagesOf(records, filtersOf(query), { perPage: exportedAtATime, gone });
      const headers = { 'content-disposition': 'attachment; filename="settlements.csv"' };
      return { status: 200, body: { contentType: 'text/csv; charset=utf-8', text: linesOf(pages) }, headers };
    },
  };
}

function shownProgress(progress: EventProgress): ShownProgress {
  if (progress.state === 'delivered') return { state: 'delivered', at: progress.at.toISOString() };
  const { state, attempts, failure, dueAt } = progress;
  return known({ state, attempts, failure, dueAt: dueAt?.toISOString() });
}

type Filters = OperatorIn<'exportSettlements'>['query'];

const filtersOf = ({ since, until, ...filters }: Filters): RecordFilters => ({
  ...filters,
  since: since === undefined ? undefined : new Date(since),
  until: until === undefined ? undefined : new Date(until),
});

async function* linesOf(pages: AsyncIterable<readonly SettlementRecord[]>): AsyncIterable<string> {
  yield csvHeader;
  for await (const records of pages) yield records.map(csvLine).join('');
}
