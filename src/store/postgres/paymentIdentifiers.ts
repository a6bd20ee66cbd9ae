import { SCHEMA } from './schema.ts';

/** By which buyers name payments. A step that was released never changes. */
export const PAYMENT_IDENTIFIERS = `
  -- Null without one.
  ALTER TABLE ${SCHEMA}.entry ADD COLUMN payment_identifier text;
  CREATE INDEX entry_payment_identifier ON ${SCHEMA}.entry (pay_to, payment_identifier)
    WHERE payment_identifier IS NOT NULL;

  -- Opens an entry like the function without an identifier, which stays for instances of an earlier version. No other
  -- payment to the recipient may have the identifier, unless it came to nothing.
  CREATE FUNCTION ${SCHEMA}.open_entry(
    instance uuid, the_hash text, the_opening uuid, the_payer text, the_party text, the_listing text,
    the_authorization text, the_submitter text, the_sequence numeric, the_inclusion_bid bigint, the_total_bid bigint,
    the_max_time bigint, the_last_ledger bigint, verified_in_ledger bigint, the_asset_is_stellar boolean,
    the_caller text, caller_limit bigint, service_limit bigint, record jsonb, the_key_hash text, the_body_hash text,
    the_identifier text
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    opened text;
    recipient text := record ->> 'pay_to';
  BEGIN
    IF the_identifier IS NOT NULL THEN
      -- Nobody else opens an entry under it meanwhile. This is locked before all rows.
      PERFORM pg_advisory_xact_lock(hashtextextended(recipient || ' ' || the_identifier, 0));
      IF EXISTS (
        SELECT FROM ${SCHEMA}.entry AS e
        WHERE e.pay_to = recipient AND e.payment_identifier = the_identifier AND e."authorization" <> the_authorization
          AND (e.status IS NULL OR e.status IN ('success', 'forgotten'))
      ) THEN
        RETURN 'identifier taken';
      END IF;
    END IF;
    opened := ${SCHEMA}.open_entry(instance, the_hash, the_opening, the_payer, the_party, the_listing, the_authorization,
      the_submitter, the_sequence, the_inclusion_bid, the_total_bid, the_max_time, the_last_ledger, verified_in_ledger,
      the_asset_is_stellar, the_caller, caller_limit, service_limit, record, the_key_hash, the_body_hash);
    IF opened = 'open' THEN
      UPDATE ${SCHEMA}.entry AS e SET payment_identifier = the_identifier
      WHERE e.hash = the_hash AND e.payment_identifier IS DISTINCT FROM the_identifier;
    END IF;
    RETURN opened;
  END
  $$;
`;
