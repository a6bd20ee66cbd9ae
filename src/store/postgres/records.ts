import { SCHEMA } from './schema.ts';

/** What the records of settlements have beside the journal's own. A step that was released never changes. */
export const RECORDS = `
  -- Null in older entries: what a settlement moves, who asked for it and when, and why it did not settle.
  ALTER TABLE ${SCHEMA}.entry
    ADD COLUMN pay_to text,
    ADD COLUMN amount text, -- base units
    ADD COLUMN asset text,
    ADD COLUMN resource text, -- URL
    ADD COLUMN request_id text,
    ADD COLUMN asked_at timestamptz,
    ADD COLUMN verified_at timestamptz,
    ADD COLUMN code text,
    ADD COLUMN message text,
    -- What became of its listing, and when; null while it is due, and if there is none.
    ADD COLUMN listing_status text, -- success, rejected or given up
    ADD COLUMN listed_at timestamptz;
  CREATE INDEX entry_opened_at ON ${SCHEMA}.entry (opened_at, id);
  CREATE INDEX entry_payer ON ${SCHEMA}.entry (payer, opened_at, id);
  CREATE INDEX entry_pay_to ON ${SCHEMA}.entry (pay_to, opened_at, id);
  CREATE INDEX entry_caller ON ${SCHEMA}.entry (caller, opened_at, id);
  CREATE INDEX entry_unsettled ON ${SCHEMA}.entry (opened_at, id) WHERE status IS DISTINCT FROM 'success';

  -- A listing that is no longer due was written, unless the statement says otherwise.
  CREATE FUNCTION ${SCHEMA}.note_listing() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.listing_status := coalesce(NEW.listing_status, 'success');
    NEW.listed_at := clock_timestamp();
    RETURN NEW;
  END
  $$;
  CREATE TRIGGER entry_listed BEFORE UPDATE ON ${SCHEMA}.entry FOR EACH ROW
  WHEN (OLD.status = 'success' AND NEW.status = 'success' AND OLD.listing IS NOT NULL AND NEW.listing IS NULL)
  EXECUTE FUNCTION ${SCHEMA}.note_listing();

  -- Opens an entry like the function of the same name, and adds what its record has by column. One that is opened again,
  -- for the same bytes, keeps its first times, and so its place among the records.
  CREATE FUNCTION ${SCHEMA}.open_entry(
    instance uuid, the_hash text, the_opening uuid, the_payer text, the_party text, the_listing text,
    the_authorization text, the_submitter text, the_sequence numeric, the_inclusion_bid bigint, the_total_bid bigint,
    the_max_time bigint, the_last_ledger bigint, verified_in_ledger bigint, the_asset_is_stellar boolean,
    the_caller text, caller_limit bigint, service_limit bigint, record jsonb
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    opened text;
    first_opened_at timestamptz := (SELECT e.opened_at FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash);
  BEGIN
    opened := ${SCHEMA}.open_entry(instance, the_hash, the_opening, the_payer, the_party, the_listing, the_authorization,
      the_submitter, the_sequence, the_inclusion_bid, the_total_bid, the_max_time, the_last_ledger, verified_in_ledger,
      the_asset_is_stellar, the_caller, caller_limit, service_limit);
    IF opened = 'open' THEN
      UPDATE ${SCHEMA}.entry AS e SET
        pay_to = record ->> 'pay_to', amount = record ->> 'amount', asset = record ->> 'asset',
        resource = record ->> 'resource', request_id = record ->> 'request_id',
        asked_at = coalesce(
          e.asked_at, e.opened_at - (record ->> 'asked_ago_ms')::float8 * interval '1 millisecond'),
        verified_at = coalesce(
          e.verified_at, e.opened_at - (record ->> 'verified_ago_ms')::float8 * interval '1 millisecond'),
        opened_at = coalesce(first_opened_at, e.opened_at),
        code = NULL, message = NULL
      WHERE e.hash = the_hash;
    END IF;
    RETURN opened;
  END
  $$;

  DROP FUNCTION ${SCHEMA}.end_entry(text, uuid, text, text, bigint, bigint, bigint);

  -- Records an outcome, unless the entry was opened again since 'the_opening' (null if another instance opened it). Keeps
  -- only the facts of a payment that did not settle. What was charged counts for its budget; the bid does if that is not
  -- known.
  CREATE FUNCTION ${SCHEMA}.end_entry(
    the_hash text, the_opening uuid, the_status text, the_reason text, the_ledger bigint, the_closed_at bigint,
    the_fee bigint, the_code text, the_message text
  ) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    held text;
  BEGIN
    SELECT e."authorization" INTO held FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash;
    -- Whoever opens another transaction for it has committed, or waits for this.
    PERFORM FROM ${SCHEMA}.in_flight AS f WHERE f."authorization" = held FOR UPDATE;
    UPDATE ${SCHEMA}.entry AS e SET
      ended_at = clock_timestamp(), status = the_status, reason = the_reason, ledger = the_ledger,
      closed_at = the_closed_at, fee_charged_stroops = the_fee, code = the_code, message = the_message,
      counted_stroops = CASE WHEN the_status IN ('rejected', 'never') THEN 0 ELSE coalesce(the_fee, e.total_bid_stroops) END,
      listing = CASE WHEN the_status = 'success' THEN e.listing END
    WHERE e.hash = the_hash AND e.status IS DISTINCT FROM 'success' AND e.opening = coalesce(the_opening, e.opening);
    PERFORM ${SCHEMA}.free_authorization(held);
  END
  $$;
`;
