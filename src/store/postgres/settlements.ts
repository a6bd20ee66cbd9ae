import { SCHEMA } from './schema.ts';

/** The tables and functions of settlements. A step that was released never changes. */
export const SETTLEMENTS = `
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
  CREATE INDEX entry_applied ON ${SCHEMA}.entry ("authorization") WHERE ledger IS NOT NULL;

  -- One row per authorization that is being settled, and the account that carries it.
  CREATE TABLE ${SCHEMA}.in_flight (
    "authorization" text PRIMARY KEY,
    submitter text NOT NULL
  );

  -- What follows are functions, since each of their statements sees what was committed before it had the locks.

  -- Frees an authorization unless a transaction for it is open, and tells who waits for it.
  CREATE FUNCTION ${SCHEMA}.free_authorization(held text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM ${SCHEMA}.in_flight AS f WHERE f."authorization" = held AND NOT EXISTS (
      SELECT FROM ${SCHEMA}.entry AS e WHERE e."authorization" = held AND e.submitter = f.submitter AND e.status IS NULL);
    IF FOUND THEN
      PERFORM pg_notify('${SCHEMA}_settled', held);
    END IF;
  END
  $$;

  -- Opens an entry, if the instance still has the account, no other account carries the authorization, and no ledger has
  -- taken it since the payment was verified. Keeps the account's row locked: a lease cannot move meanwhile.
  CREATE FUNCTION ${SCHEMA}.open_entry(
    instance uuid, the_hash text, the_opening uuid, the_payer text, the_party text, the_listing text,
    the_authorization text, the_submitter text, the_sequence numeric, the_inclusion_bid bigint, the_total_bid bigint,
    the_max_time bigint, the_last_ledger bigint, verified_in_ledger bigint, the_asset_is_stellar boolean
  ) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM ${SCHEMA}.channel_account AS a
    WHERE a.address = the_submitter AND a.holder = instance AND a.expires_at > clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN
      RETURN 'account lost';
    END IF;
    INSERT INTO ${SCHEMA}.in_flight AS f VALUES (the_authorization, the_submitter)
    ON CONFLICT ("authorization") DO UPDATE SET submitter = the_submitter WHERE f.submitter = the_submitter;
    IF NOT FOUND THEN
      RETURN 'in flight elsewhere';
    END IF;
    PERFORM FROM ${SCHEMA}.entry AS e WHERE e."authorization" = the_authorization AND e.ledger > verified_in_ledger;
    IF FOUND THEN
      PERFORM ${SCHEMA}.free_authorization(the_authorization);
      RETURN 'in flight elsewhere';
    END IF;
    INSERT INTO ${SCHEMA}.entry AS e (
      hash, opening, opened_at, payer, party, "authorization", submitter, sequence, inclusion_bid_stroops,
      total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, is_stellar_asset, listing)
    VALUES (
      the_hash, the_opening, clock_timestamp(), the_payer, the_party, the_authorization, the_submitter, the_sequence,
      the_inclusion_bid, the_total_bid, the_max_time, the_last_ledger, verified_in_ledger, the_asset_is_stellar,
      the_listing)
    ON CONFLICT (hash) DO UPDATE SET
      opening = the_opening, opened_at = clock_timestamp(), listing = the_listing,
      ended_at = NULL, status = NULL, reason = NULL;
    RETURN 'open';
  END
  $$;

  -- Records an outcome, unless the entry was opened again since 'the_opening' (null if another instance opened it). Keeps
  -- only the facts of a payment that did not settle.
  CREATE FUNCTION ${SCHEMA}.end_entry(
    the_hash text, the_opening uuid, the_status text, the_reason text, the_ledger bigint, the_closed_at bigint, the_fee bigint
  ) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    held text;
  BEGIN
    SELECT e."authorization" INTO held FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash;
    -- Whoever opens another transaction for it has committed, or waits for this.
    PERFORM FROM ${SCHEMA}.in_flight AS f WHERE f."authorization" = held FOR UPDATE;
    UPDATE ${SCHEMA}.entry AS e SET
      ended_at = clock_timestamp(), status = the_status, reason = the_reason, ledger = the_ledger,
      closed_at = the_closed_at, fee_charged_stroops = the_fee,
      listing = CASE WHEN the_status = 'success' THEN e.listing END
    WHERE e.hash = the_hash AND e.status IS DISTINCT FROM 'success' AND e.opening = coalesce(the_opening, e.opening);
    PERFORM ${SCHEMA}.free_authorization(held);
  END
  $$;

  -- Forgets an entry that was opened in vain: its transaction was not sent.
  CREATE FUNCTION ${SCHEMA}.withdraw_entry(the_hash text, the_opening uuid, the_submitter text)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    held text;
  BEGIN
    -- An opening that still waits for the account comes first.
    PERFORM FROM ${SCHEMA}.channel_account AS a WHERE a.address = the_submitter FOR UPDATE;
    SELECT e."authorization" INTO held FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash;
    PERFORM FROM ${SCHEMA}.in_flight AS f WHERE f."authorization" = held FOR UPDATE;
    DELETE FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash AND e.opening = the_opening AND e.status IS NULL;
    PERFORM ${SCHEMA}.free_authorization(held);
  END
  $$;
`;
