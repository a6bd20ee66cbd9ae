import type { SpentPayment } from '../../scheme/index.ts';
import { spentFacts } from '../rows.ts';
import { recordOf, type LedgerTotal, type RecordFilters, type RecordPage, type Records } from './record.ts';
import {
  COLUMNS,
  selectOfPayment,
  selectPage,
  selectPayment,
  type Dialect,
  type Position,
  type Select,
} from './select.ts';

/** The most rows that a page looks at. */
const SCANNED_LIMIT = 2_000;

type Row = Readonly<Record<string, unknown>>;

export interface RecordsDeps {
  readonly dialect: Dialect;
  query(statement: string, values: readonly (string | number)[]): Row[] | Promise<Row[]>;
  /** Counts what the latest ledgers ($1) settled and failed. */
  readonly latestLedgers: string;
  scannedLimit?: number;
}

export function createRecords(deps: RecordsDeps): Records {
  const { dialect, query, scannedLimit = SCANNED_LIMIT } = deps;
  const read = async ({ statement, values }: Select): Promise<Row[]> => query(statement, values);

  async function page(
    filters: RecordFilters,
    limit: number,
    after?: string,
  ): Promise<RecordPage | undefined> {
    const from = after === undefined ? undefined : readCursor(after);
    if (after !== undefined && from === undefined) return undefined;
    // One more than asked for shows whether others follow.
    const select = selectPage(filters, { limit: limit + 1, scanned: scannedLimit, after: from }, dialect);
    const rows = await read(select.page);
    const records = rows.slice(0, limit).map(recordOf);
    if (rows.length > limit) return { records, next: cursorOf(rows[limit - 1]!) };
    const [end] = select.end === undefined ? [] : await read(select.end);
    return { records, next: end && cursorOf(end) };
  }

  return {
    page,
    async withHash(hash) {
      const [row] = await query(`SELECT ${COLUMNS} FROM ${dialect.table} WHERE hash = ${dialect.value(1)}`, [
        hash,
      ]);
      return row && recordOf(row);
    },
    async paymentOf(hash) {
      const [row] = await query(selectPayment(dialect), [hash]);
      return row && paymentIn(row);
    },
    async ofPayment(payment) {
      const [row] = await query(selectOfPayment(dialect), spentFacts(payment));
      return row && recordOf(row);
    },
    async startingWith(beginning, limit) {
      const { table, value } = dialect;
      // In every collation, "g" follows all hex characters.
      const range = `hash >= ${value(1)} AND hash < ${value(2)}`;
      const statement = `SELECT ${COLUMNS} FROM ${table} WHERE ${range} ORDER BY hash LIMIT ${limit}`;
      return (await query(statement, [beginning, `${beginning}g`])).map(recordOf);
    },
    async latestLedgers(limit) {
      const rows = await query(deps.latestLedgers, [limit]);
      return rows.map(ledgerTotalOf);
    },
  };
}

const paymentIn = (row: Row): SpentPayment => ({
  authorization: String(row['authorization']),
  payTo: String(row['pay_to']),
  amount: BigInt(String(row['amount'])),
  asset: String(row['asset']),
});

const ledgerTotalOf = (row: Row): LedgerTotal => ({
  ledger: Number(row['ledger']),
  closedAt: new Date(Number(row['closed_at']) * 1000),
  settled: Number(row['settled']),
  failed: Number(row['failed']),
});

const cursorOf = ({ place, id }: Row): string =>
  Buffer.from(`${String(place)} ${String(id)}`).toString('base64url');

/** Returns undefined if it is not one of ours. */
function readCursor(cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  // No longer than either store can read.
  const [, openedAt, id] = /^([0-9]{1,17}) ([0-9]{1,18})$/.exec(text) ?? [];
  return openedAt === undefined || id === undefined ? undefined : { openedAt, id };
}
