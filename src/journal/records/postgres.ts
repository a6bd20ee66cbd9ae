import type { Database } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { Records } from './record.ts';
import { createRecords } from './records.ts';
import type { Dialect } from './select.ts';

const DIALECT: Dialect = {
  table: `${SCHEMA}.entry`,
  value: (nth) => `$${nth}`,
  time: (date) => date.toISOString(),
  // PostgreSQL keeps microseconds, a Date does not.
  openedAtText: `to_char(opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  openedAt: (nth) => `$${nth}::timestamptz`,
};

const LATEST_LEDGERS = `
  SELECT ledger, closed_at, count(*) FILTER (WHERE status = 'success') AS settled,
    count(*) FILTER (WHERE status = 'failed') AS failed
  FROM ${SCHEMA}.entry WHERE closed_at IS NOT NULL
  GROUP BY closed_at, ledger ORDER BY closed_at DESC, ledger DESC LIMIT $1`;

export const createPostgresRecords = (db: Pick<Database, 'query'>): Records =>
  createRecords({
    dialect: DIALECT,
    query: db.query,
    latestLedgers: LATEST_LEDGERS,
  });
