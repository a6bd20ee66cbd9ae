import { STORED_STATUS, type RecordFilters } from './record.ts';

/** The differences between the two stores. */
export interface Dialect {
  /** Such as `facilitator.entry`. */
  readonly table: string;
  /** Stands for the nth value, from 1. */
  value(nth: number): string;
  /** Returns a time as the table keeps it. */
  time(date: Date): string | number;
  /** The column `opened_at` as a whole number of its own unit, which loses nothing. */
  readonly openedAtNumber: string;
  /** Such a number, the nth value, as a value of the column. */
  openedAt(nth: number): string;
}

/** The place of a record in the order newest first. */
export interface Position {
  readonly openedAt: string;
  readonly id: string;
}

export interface Select {
  readonly statement: string;
  readonly values: readonly (string | number)[];
}

export const COLUMNS = `id, hash, status, payer, pay_to, amount, asset, resource, caller, request_id,
  payment_identifier, code, message, reason, submitter, total_bid_stroops, fee_charged_stroops, ledger, asked_at, verified_at, opened_at, closed_at, ended_at,
  listing IS NOT NULL AS has_listing, listing_status, listed_at`;

/** Returns the statement that finds the transaction of a payment that tells most. Its values come from `spentFacts`. */
export const selectOfPayment = ({ table, value }: Dialect): string => `SELECT ${COLUMNS} FROM ${table}
  WHERE "authorization" = ${value(1)} AND pay_to = ${value(2)} AND amount = ${value(3)} AND asset = ${value(4)}
  ORDER BY CASE WHEN status = 'success' THEN 0 WHEN status IS NULL THEN 1 WHEN status = 'forgotten' THEN 2 ELSE 3 END,
    opened_at DESC, id DESC LIMIT 1`;

/** Returns the statement that finds the payment of a hash. Older entries do not say what they move. */
export const selectPayment = ({ table, value }: Dialect): string =>
  `SELECT "authorization", pay_to, amount, asset FROM ${table} WHERE hash = ${value(1)} AND pay_to IS NOT NULL`;

const NEWEST_FIRST = 'ORDER BY opened_at DESC, id DESC';

/**
 * Returns the statements that read the records after `after`: `limit` of the next `scanned` rows of an index, however few
 * of them match all filters. `end` reads the place of the last of these rows; undefined if no filter is without an index.
 */
export function selectPage(
  filters: RecordFilters,
  { limit, scanned, after }: { limit: number; scanned: number; after: Position | undefined },
  dialect: Dialect,
): { page: Select; end: Select | undefined } {
  const { table, openedAtNumber } = dialect;
  const values: (string | number)[] = [];
  const add = (value: string | number): string => dialect.value(values.push(value));
  const { indexed, others } = split(filters, after !== undefined);

  const rows = `FROM ${table} WHERE ${all([
    ...indexed.map((condition) => condition(dialect, add)),
    ...(after === undefined
      ? []
      : [`(opened_at, id) < (${dialect.openedAt(values.push(after.openedAt))}, ${add(after.id)})`]),
  ])} ${NEWEST_FIRST}`;
  const end = {
    statement: `SELECT id, ${openedAtNumber} AS place ${rows} LIMIT 1 OFFSET ${scanned - 1}`,
    values: [...values],
  };
  const matching = all(others.map((condition) => condition(dialect, add)));
  const page = `SELECT ${COLUMNS}, ${openedAtNumber} AS place FROM (SELECT * ${rows} LIMIT ${scanned}) AS entry
    WHERE ${matching} ${NEWEST_FIRST} LIMIT ${limit}`;
  return { page: { statement: page, values }, end: others.length === 0 ? undefined : end };
}

type Condition = (dialect: Dialect, add: (value: string | number) => string) => string;

const all = (conditions: readonly string[]): string =>
  conditions.length === 0 ? 'TRUE' : conditions.join(' AND ');

/** Filters by equality, and their columns. Each of the first three has an index; one that is used ends the search. */
const COLUMN_OF = {
  payer: 'payer',
  payTo: 'pay_to',
  caller: 'caller',
  asset: 'asset',
  code: 'code',
} as const;
const WITH_INDEX = ['payer', 'payTo', 'caller'] as const;

/**
 * Splits the filters into those that one index answers, and the others. A page after another begins where that ended:
 * beside a second bound, SQLite might begin there instead, and pass over all pages before it.
 */
function split(filters: RecordFilters, isAfter: boolean): { indexed: Condition[]; others: Condition[] } {
  const { status, since, until } = filters;
  // Pending records are so few that no other index helps.
  const isPending = status === 'pending';
  const sought = isPending ? undefined : WITH_INDEX.find((name) => filters[name] !== undefined);
  const indexed: Condition[] = [];
  const others: Condition[] = [];
  for (const [name, column] of Object.entries(COLUMN_OF)) {
    const value = filters[name as keyof typeof COLUMN_OF];
    if (value !== undefined)
      (name === sought ? indexed : others).push((_dialect, add) => `${column} = ${add(value)}`);
  }
  if (status !== undefined) (isPending ? indexed : others).push(hasStatus(STORED_STATUS[status]));
  // Few records did not settle, so they have an index of their own.
  const isRare = filters.code !== undefined || (status !== undefined && status !== 'settled');
  if (isRare && !isPending && sought === undefined) indexed.push(() => "status IS DISTINCT FROM 'success'");
  if (since !== undefined) indexed.push(({ time }, add) => `opened_at >= ${add(time(since))}`);
  if (until !== undefined)
    (isAfter ? others : indexed).push(({ time }, add) => `opened_at < ${add(time(until))}`);
  return { indexed, others };
}

const hasStatus =
  (stored: string | null): Condition =>
  (_dialect, add) =>
    stored === null ? 'status IS NULL' : `status = ${add(stored)}`;
