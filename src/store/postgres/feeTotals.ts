import { SCHEMA } from './schema.ts';

/** The fees that count for budgets. A step that was released never changes. */
export const FEE_TOTALS = `
  -- Stroops by budget and day (UTC): what open entries may cost, and what ended ones did cost.
  CREATE TABLE ${SCHEMA}.fee_total (
    -- Such as "service 2026-11-23".
    name text PRIMARY KEY,
    day text NOT NULL,
    stroops bigint NOT NULL
  );
  -- Null in older entries, which count for nothing.
  ALTER TABLE ${SCHEMA}.entry ADD COLUMN caller text;
  ALTER TABLE ${SCHEMA}.entry ADD COLUMN counted_stroops bigint NOT NULL DEFAULT 0;

  CREATE FUNCTION ${SCHEMA}.day_of(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD')
  $$;

  -- Returns what counts for a caller and for the service, on the day of a moment.
  CREATE FUNCTION ${SCHEMA}.fee_totals(the_caller text, moment timestamptz, OUT caller bigint, OUT service bigint)
  LANGUAGE sql STABLE AS $$
    SELECT
      (SELECT t.stroops FROM ${SCHEMA}.fee_total AS t WHERE t.name = the_caller || ' ' || counted.day),
      (SELECT t.stroops FROM ${SCHEMA}.fee_total AS t WHERE t.name = 'service ' || counted.day)
    FROM ${SCHEMA}.day_of(moment) AS counted (day)
  $$;

  -- Adds stroops to the totals of a caller and of the service. The caller's row is locked first, everywhere.
  CREATE FUNCTION ${SCHEMA}.count_fee(the_caller text, opened_at timestamptz, stroops bigint)
  RETURNS void LANGUAGE sql AS $$
    INSERT INTO ${SCHEMA}.fee_total AS t
    SELECT name || ' ' || day, day, count_fee.stroops
    FROM ${SCHEMA}.day_of(opened_at) AS day, (VALUES (1, the_caller), (2, 'service')) AS budget (nth, name)
    ORDER BY nth
    ON CONFLICT (name) DO UPDATE SET stroops = t.stroops + excluded.stroops
  $$;

  CREATE FUNCTION ${SCHEMA}.count_entry() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.caller IS NOT NULL THEN
      PERFORM ${SCHEMA}.count_fee(OLD.caller, OLD.opened_at, -OLD.counted_stroops);
    END IF;
    PERFORM ${SCHEMA}.count_fee(NEW.caller, NEW.opened_at, NEW.counted_stroops);
    RETURN NULL;
  END
  $$;

  -- Entries that were moved here do not count again: their totals come with them.
  CREATE TRIGGER entry_counted AFTER UPDATE ON ${SCHEMA}.entry FOR EACH ROW
  WHEN (NEW.caller IS NOT NULL AND (OLD.caller, OLD.counted_stroops, OLD.opened_at)
    IS DISTINCT FROM (NEW.caller, NEW.counted_stroops, NEW.opened_at))
  EXECUTE FUNCTION ${SCHEMA}.count_entry();

  -- Opens an entry like the function of the same name, if the budgets afford its bid. A limit may be null.
  CREATE FUNCTION ${SCHEMA}.open_entry(
    instance uuid, the_hash text, the_opening uuid, the_payer text, the_party text, the_listing text,
    the_authorization text, the_submitter text, the_sequence numeric, the_inclusion_bid bigint, the_total_bid bigint,
    the_max_time bigint, the_last_ledger bigint, verified_in_ledger bigint, the_asset_is_stellar boolean,
    the_caller text, caller_limit bigint, service_limit bigint
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    opened text;
    moment timestamptz;
    totals record;
  BEGIN
    opened := ${SCHEMA}.open_entry(instance, the_hash, the_opening, the_payer, the_party, the_listing, the_authorization,
      the_submitter, the_sequence, the_inclusion_bid, the_total_bid, the_max_time, the_last_ledger, verified_in_ledger,
      the_asset_is_stellar);
    IF opened <> 'open' THEN
      RETURN opened;
    END IF;
    UPDATE ${SCHEMA}.entry AS e SET caller = the_caller, counted_stroops = the_total_bid WHERE e.hash = the_hash
    RETURNING e.opened_at INTO moment;
    -- The totals' rows are locked now: nobody else adds to them before this is committed. A day may have begun meanwhile.
    SELECT * INTO totals FROM ${SCHEMA}.fee_totals(the_caller, moment);
    IF totals.caller > caller_limit OR totals.service > service_limit THEN
      RAISE SQLSTATE 'FB001';
    END IF;
    RETURN 'open';
  EXCEPTION WHEN SQLSTATE 'FB001' THEN
    -- All of the above is undone.
    RETURN 'budget exhausted';
  END
  $$;

  -- Also counts what was charged instead of the bid, or the bid if that is not known.
  CREATE OR REPLACE FUNCTION ${SCHEMA}.end_entry(
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
      counted_stroops = CASE WHEN the_status IN ('rejected', 'never') THEN 0 ELSE coalesce(the_fee, e.total_bid_stroops) END,
      listing = CASE WHEN the_status = 'success' THEN e.listing END
    WHERE e.hash = the_hash AND e.status IS DISTINCT FROM 'success' AND e.opening = coalesce(the_opening, e.opening);
    PERFORM ${SCHEMA}.free_authorization(held);
  END
  $$;

  -- Also gives its bid back.
  CREATE OR REPLACE FUNCTION ${SCHEMA}.withdraw_entry(the_hash text, the_opening uuid, the_submitter text)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    held text;
  BEGIN
    -- An opening that still waits for the account comes first.
    PERFORM FROM ${SCHEMA}.channel_account AS a WHERE a.address = the_submitter FOR UPDATE;
    SELECT e."authorization" INTO held FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash;
    PERFORM FROM ${SCHEMA}.in_flight AS f WHERE f."authorization" = held FOR UPDATE;
    UPDATE ${SCHEMA}.entry AS e SET counted_stroops = 0
    WHERE e.hash = the_hash AND e.opening = the_opening AND e.status IS NULL;
    DELETE FROM ${SCHEMA}.entry AS e WHERE e.hash = the_hash AND e.opening = the_opening AND e.status IS NULL;
    PERFORM ${SCHEMA}.free_authorization(held);
  END
  $$;
`;
