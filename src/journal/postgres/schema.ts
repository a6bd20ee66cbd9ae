import { SCHEMA } from '../../store/postgresMigrations.ts';

/** Each step is the next version of the tables. A step that was released never changes. */
export const MIGRATIONS: readonly string[] = [
  `
  -- The accounts that source settlements. 'holder' is the instance that may use one until 'expires_at'.
  CREATE TABLE ${SCHEMA}.channel_account (
    address text PRIMARY KEY,
    holder uuid,
    expires_at timestamptz NOT NULL DEFAULT '-infinity'
  );

  -- One row per transaction, written before it is sent. 'status' is null until its outcome is known.
  CREATE TABLE ${SCHEMA}.entry (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    -- Changes each time the entry is opened.
    opening uuid NOT NULL,
    opened_at timestamptz NOT NULL,
    payer text NOT NULL,
    party text NOT NULL,
    "authorization" text NOT NULL,
    submitter text NOT NULL,
    sequence numeric NOT NULL,
    inclusion_bid_stroops bigint NOT NULL,
    total_bid_stroops bigint NOT NULL,
    max_time_seconds bigint NOT NULL,
    last_ledger bigint NOT NULL,
    sent_in_ledger bigint NOT NULL,
    is_stellar_asset boolean NOT NULL,
    listing text,
    ended_at timestamptz,
    status text,
    reason text,
    ledger bigint,
    closed_at bigint,
    fee_charged_stroops bigint
  );
  CREATE INDEX entry_open ON ${SCHEMA}.entry (submitter) WHERE status IS NULL;
  CREATE INDEX entry_unlisted ON ${SCHEMA}.entry (id) WHERE status = 'success' AND listing IS NOT NULL;
  CREATE INDEX entry_failed ON ${SCHEMA}.entry (ended_at) WHERE status = 'failed';
  CREATE INDEX entry_closed ON ${SCHEMA}.entry (closed_at, ledger) WHERE closed_at IS NOT NULL;

  -- One row per authorization that is being settled, and the account that carries it.
  CREATE TABLE ${SCHEMA}.in_flight (
    "authorization" text PRIMARY KEY,
    submitter text NOT NULL
  );
  `,
];
