import { SCHEMA } from './schema.ts';

const PARAMETERS = `
  the_key bytea, known_position bigint, the_owner text, the_item text, the_ledger bigint, the_closed_at bigint,
  earlier_words text, earlier_length integer, kept_wordings integer, settled_at bigint, new_per_hour integer,
  paid_by text, the_origin text, the_recipient text`;

const TYPES =
  'bytea, bigint, text, text, bigint, bigint, text, integer, integer, bigint, integer, text, text, text';

/** Lets a listing move to another owner. A step that was released never changes. */
export const OWNERS = `
  ALTER FUNCTION ${SCHEMA}.write_listing(${TYPES}) RENAME TO write_listing_of_owner;

  -- Works like the one before, which leaves the owner of an existing listing as it is.
  CREATE FUNCTION ${SCHEMA}.write_listing(${PARAMETERS}
  ) RETURNS TABLE (
    outcome text, at bigint, owner text, item text, ledger bigint, closed_at bigint, hidden boolean,
    listing bigint, listings bigint, clock bigint, checksum bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    written record;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
    by_operator boolean;
  BEGIN
    SELECT * INTO STRICT written FROM ${SCHEMA}.write_listing_of_owner(
      the_key, known_position, the_owner, the_item, the_ledger, the_closed_at, earlier_words, earlier_length,
      kept_wordings, settled_at, new_per_hour, paid_by, the_origin, the_recipient);
    IF written.outcome = 'written' THEN
      SELECT * INTO STRICT before FROM ${SCHEMA}.listing AS l WHERE l.id = written.listing;
      IF before.owner <> the_owner THEN
        after := before;
        after.owner := the_owner;
        -- What the earlier owner hid is shown, and what it signed counts no more.
        DELETE FROM ${SCHEMA}.seller_act AS s WHERE s.listing = before.id RETURNING s.by_operator INTO by_operator;
        after.hidden := coalesce(by_operator, before.hidden);
        written.hidden := after.hidden;
        written.checksum :=
          written.checksum # ${SCHEMA}.listing_hash(before) # ${SCHEMA}.listing_hash(after);
        UPDATE ${SCHEMA}.listing AS l SET owner = the_owner, hidden = after.hidden WHERE l.id = before.id;
        UPDATE ${SCHEMA}.catalog AS c SET checksum = written.checksum;
      END IF;
    END IF;
    RETURN QUERY SELECT written.outcome, written.at, written.owner, written.item, written.ledger, written.closed_at,
      written.hidden, written.listing, written.listings, written.clock, written.checksum;
  END
  $$;
`;
