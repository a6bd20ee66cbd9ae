import { SCHEMA } from './schema.ts';

const PARAMETERS = `
  the_key bytea, known_position bigint, the_owner text, the_item text, the_ledger bigint, the_closed_at bigint,
  earlier_words text, earlier_length integer, kept_wordings integer, settled_at bigint, new_per_hour integer,
  paid_by text, the_origin text, the_recipient text, the_payers text`;

/** Lets a listing remember who has paid for it. A step that was released never changes. */
export const PAYERS = `
  -- JSON: see catalog/payers.ts. Null where nothing is known. It only orders listings that are about as good, and is not
  -- in 'listing_hash': instances of an earlier version do not know it.
  ALTER TABLE ${SCHEMA}.listing ADD COLUMN payers text;

  CREATE FUNCTION ${SCHEMA}.forget_payers() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.payers := NULL;
    RETURN NEW;
  END
  $$;
  -- Whoever removes or moves a listing, of any version, also forgets who has paid for it.
  CREATE TRIGGER forget_payers BEFORE UPDATE OF owner, item ON ${SCHEMA}.listing FOR EACH ROW
    WHEN (NEW.owner <> OLD.owner OR NEW.item = '') EXECUTE FUNCTION ${SCHEMA}.forget_payers();

  -- Works like the one without 'the_payers', which stays for instances of an earlier version.
  CREATE FUNCTION ${SCHEMA}.write_listing(${PARAMETERS}
  ) RETURNS TABLE (
    outcome text, at bigint, owner text, item text, ledger bigint, closed_at bigint, hidden boolean,
    listing bigint, listings bigint, clock bigint, checksum bigint, payers text)
  LANGUAGE plpgsql AS $$
  DECLARE
    written record;
    known_payers text;
  BEGIN
    SELECT * INTO STRICT written FROM ${SCHEMA}.write_listing(
      the_key, known_position, the_owner, the_item, the_ledger, the_closed_at, earlier_words, earlier_length,
      kept_wordings, settled_at, new_per_hour, paid_by, the_origin, the_recipient);
    IF written.outcome = 'written' THEN
      UPDATE ${SCHEMA}.listing AS l SET payers = the_payers
      WHERE l.id = written.listing AND l.payers IS DISTINCT FROM the_payers;
    ELSIF written.at IS NOT NULL THEN
      SELECT l.payers INTO known_payers FROM ${SCHEMA}.listing AS l WHERE l.position = written.at;
    END IF;
    RETURN QUERY SELECT written.outcome, written.at, written.owner, written.item, written.ledger, written.closed_at,
      written.hidden, written.listing, written.listings, written.clock, written.checksum, known_payers;
  END
  $$;
`;
