import { SCHEMA } from './schema.ts';

/** Descriptions by sellers, in the order of the log. A step that was released never changes. */
export const DESCRIPTIONS = `
  -- Works like write_listing, for what the owner of a listing has signed. Refuses what was signed no later than the last.
  CREATE FUNCTION ${SCHEMA}.describe_listing(
    the_key bytea, known_position bigint, the_owner text, the_item text, the_ledger bigint, the_closed_at bigint,
    earlier_words text, earlier_length integer, kept_wordings integer, settled_at bigint, new_per_hour integer,
    paid_by text, the_origin text, the_recipient text, the_payers text, the_signed_at_ms bigint
  ) RETURNS TABLE (
    outcome text, at bigint, owner text, item text, ledger bigint, closed_at bigint, hidden boolean,
    listing bigint, listings bigint, clock bigint, checksum bigint, payers text)
  LANGUAGE plpgsql AS $$
  DECLARE
    written record;
  BEGIN
    PERFORM FROM ${SCHEMA}.catalog FOR UPDATE;
    IF EXISTS (
      SELECT FROM ${SCHEMA}.seller_act AS s JOIN ${SCHEMA}.listing AS l ON l.id = s.listing
      WHERE l.key = the_key AND l.owner = the_owner AND s.signed_at_ms >= the_signed_at_ms
    ) THEN
      RETURN QUERY SELECT 'outdated', NULL::bigint, NULL, NULL, NULL::bigint, NULL::bigint, NULL::boolean,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL;
      RETURN;
    END IF;
    SELECT * INTO STRICT written FROM ${SCHEMA}.write_listing(
      the_key, known_position, the_owner, the_item, the_ledger, the_closed_at, earlier_words, earlier_length,
      kept_wordings, settled_at, new_per_hour, paid_by, the_origin, the_recipient, the_payers);
    -- What stands there now is described by another call, with the same signature.
    IF written.outcome <> 'changed' THEN
      INSERT INTO ${SCHEMA}.seller_act AS s
      SELECT l.id, false, l.hidden, the_signed_at_ms FROM ${SCHEMA}.listing AS l
      WHERE l.key = the_key AND l.owner = the_owner
      ON CONFLICT ON CONSTRAINT seller_act_pkey DO UPDATE SET signed_at_ms = the_signed_at_ms;
    END IF;
    RETURN QUERY SELECT written.outcome, written.at, written.owner, written.item, written.ledger, written.closed_at,
      written.hidden, written.listing, written.listings, written.clock, written.checksum, written.payers;
  END
  $$;
`;
