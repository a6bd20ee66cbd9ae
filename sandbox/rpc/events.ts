/** `getEvents`: finds contract events of settled transactions, by ledger, contract and topics. */
import type { Chain } from '../ledger/chain.ts';
import type { EventRecord, TransactionRecord } from '../ledger/history.ts';
import { ledgerRange } from './ledgers.ts';
import {
  invalidParams,
  pagination,
  paramsOf,
  RPC_ERRORS,
  RpcError,
  wholeNumber,
  type Params,
} from './params.ts';
import { transactionId } from './transactions.ts';

const EVENTS_PAGE = { fallback: 100, most: 10_000 };
const MAX_FILTERS = 5;

export function getEvents({ history }: Chain, params: Params): object {
  const { cursor, limit } = pagination(params, EVENTS_PAGE);
  const start = wholeNumber(params, 'startLedger', 0);
  const end = wholeNumber(params, 'endLedger', Number.MAX_SAFE_INTEGER);
  const filters = filtersOf(params);
  const oldest = history.ledgers[0]?.sequence ?? 0;
  const latest = history.latest().sequence;
  if (!cursor && (start < oldest || start > latest + 1)) {
    const message = `startLedger must be within the ledger range: ${oldest} - ${latest}`;
    throw new RpcError(RPC_ERRORS.invalidRequest, message);
  }
  const found: { id: string }[] = [];
  for (const record of history.transactions()) {
    if (record.ledger < start || record.ledger >= end) continue;
    for (const [index, event] of record.events.entries()) {
      if (found.length === limit) break;
      const id = `${transactionId(record)}-${String(index).padStart(10, '0')}`;
      if (id > cursor && matches(filters, event)) found.push(eventInfo(id, record, event));
    }
  }
  return { events: found, ...ledgerRange(history), cursor: found.at(-1)?.id ?? cursor };
}

interface Filter {
  contractIds: string[];
  topics: string[][];
}

function filtersOf(params: Params): Filter[] {
  const list = listOf(params['filters']).map(paramsOf);
  if (list.length > MAX_FILTERS) throw invalidParams(`maximum ${MAX_FILTERS} filters per request`);
  return list.map((filter) => ({
    contractIds: listOf(filter['contractIds']).map(String),
    topics: listOf(filter['topics']).map((topics) => listOf(topics).map(String)),
  }));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function matches(filters: readonly Filter[], event: EventRecord): boolean {
  const fits = ({ contractIds, topics }: Filter) =>
    (contractIds.length === 0 || contractIds.includes(event.contractId)) &&
    (topics.length === 0 || topics.some((wanted) => topicsMatch(wanted, event.topics)));
  return filters.length === 0 || filters.some(fits);
}

/** Compares topics: `*` stands for one topic, a final `**` for any number. */
function topicsMatch(wanted: readonly string[], topics: readonly string[]): boolean {
  const isOpen = wanted.at(-1) === '**';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  const hasLength = isOpen ? topics.length >= fixed.length : topics.length === fixed.length;
  return hasLength && fixed.every((want, index) => want === '*' || want === topics[index]);
}

function eventInfo(id: string, record: TransactionRecord, event: EventRecord): { id: string } {
  const closedAt = new Date(record.closedAtSeconds * 1000).toISOString().replace('.000Z', 'Z');
  return {
    ...{ type: 'contract', ledger: record.ledger, ledgerClosedAt: closedAt, contractId: event.contractId },
    id,
    ...{ operationIndex: 0, transactionIndex: record.order, txHash: record.hash },
    ...{ topic: event.topics, value: event.value },
  };
}
