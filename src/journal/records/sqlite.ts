import type { DatabaseSync } from 'node:sqlite';
import type { Records } from './record.ts';
import { createRecords } from './records.ts';
import type { Dialect } from './select.ts';

const DIALECT: Dialect = {
  table: 'entry',
  value: (nth) => `?${nth}`,
  time: (date) => date.getTime(),
  openedAtNumber: 'opened_at',
  openedAt: (nth) => `CAST(?${nth} AS INTEGER)`,
};

/** Finds the ledgers first: SQLite would count all of them before it takes the latest. */
const LATEST_LEDGERS = `
  WITH latest AS (
    SELECT DISTINCT closed_at, ledger FROM entry INDEXED BY entry_closed WHERE closed_at IS NOT NULL
    ORDER BY closed_at DESC, ledger DESC LIMIT ?1)
  SELECT ledger, closed_at, sum(status = 'success') AS settled, sum(status = 'failed') AS failed
  FROM latest JOIN entry INDEXED BY entry_closed USING (closed_at, ledger) WHERE closed_at IS NOT NULL
  GROUP BY closed_at, ledger ORDER BY closed_at DESC, ledger DESC`;

/** The parts that do not depend on the file. */
export const SQLITE_RECORDS = { dialect: DIALECT, latestLedgers: LATEST_LEDGERS };

export const createSqliteRecords = (db: DatabaseSync): Records =>
  createRecords({
    ...SQLITE_RECORDS,
    query: (statement, values) => db.prepare(statement).all(...values),
  });
