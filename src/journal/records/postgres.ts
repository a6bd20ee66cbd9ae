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
  openedAtNumber: '(extract(epoch FROM opened_at) * 1000000)::bigint',
  openedAt: (nth) => `(timestamptz 'epoch' + $${nth}::float8 * interval '1 microsecond')`,
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
