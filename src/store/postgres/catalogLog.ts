import { SCHEMA } from './schema.ts';

/** The tables and functions of the catalog's log. A step that was released never changes. */
export const CATALOG_LOG = `
  -- One row: the end of the catalog's log. Each write takes the next position, and keeps the row locked until it commits:
  -- the order of positions is the order of commits, without gaps.
  CREATE TABLE ${SCHEMA}.catalog (
    id boolean PRIMARY KEY CHECK (id),
    position bigint NOT NULL,
    listings bigint NOT NULL,
    -- Counts the listings that were reworded.
    clock bigint NOT NULL,
    -- XOR of the hashes of all listings.
    checksum bigint NOT NULL,
    cursor_key bytea NOT NULL
  );
  INSERT INTO ${SCHEMA}.catalog
  VALUES (true, 0, 0, 0, 0, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

  -- The log holds the latest entry of each listing: 'position' is that of its latest write.
  CREATE TABLE ${SCHEMA}.listing (
    id bigint PRIMARY KEY,
    position bigint NOT NULL UNIQUE,
    -- A hash of URL, type and tool.
    key bytea NOT NULL UNIQUE,
    -- The payTo of the settlement that created it.
    owner text NOT NULL,
    -- JSON, as it is served.
    item text NOT NULL,
    -- The ledger that holds the latest settlement.
    ledger bigint,
    closed_at bigint,
    made_at bigint NOT NULL
  );
  CREATE INDEX listing_made_at ON ${SCHEMA}.listing (owner, made_at);

  -- What refreshed listings said before: 'listing' until the clock was 'reworded', which was at 'position'.
  CREATE TABLE ${SCHEMA}.earlier_wording (
    reworded bigint PRIMARY KEY,
    position bigint NOT NULL UNIQUE,
    listing bigint NOT NULL,
    words text NOT NULL,
    length integer NOT NULL
  );

  CREATE FUNCTION ${SCHEMA}.listing_hash(${SCHEMA}.listing) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ('x' || encode(substring(sha256(convert_to(
      concat_ws(' ', $1.id, $1.owner, $1.ledger, $1.closed_at, $1.item), 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint
  $$;

  -- Writes a listing that was computed from its entry at 'known_position' (0 if it is new). If another entry stands there
  -- now, returns that instead. What is written is no longer due for the transaction 'paid_by'. This is a function, since
  -- each of its statements sees what was committed before it had the lock.
  CREATE FUNCTION ${SCHEMA}.write_listing(
    the_key bytea, known_position bigint, the_owner text, the_item text, the_ledger bigint, the_closed_at bigint,
    earlier_words text, earlier_length integer, kept_wordings integer, settled_at bigint, new_per_hour integer,
    paid_by text
  ) RETURNS TABLE (
    outcome text, at bigint, owner text, item text, ledger bigint, closed_at bigint,
    listing bigint, listings bigint, clock bigint, checksum bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
    new_listings bigint;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    SELECT * INTO before FROM ${SCHEMA}.listing AS l WHERE l.key = the_key;
    IF coalesce(before.position, 0) <> known_position THEN
      RETURN QUERY SELECT 'changed', before.position, before.owner, before.item, before.ledger, before.closed_at,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
      RETURN;
    END IF;
    IF before.id IS NULL AND new_per_hour IS NOT NULL THEN
      -- Listings in the future come from a wrong clock. They would count for too long.
      SELECT count(*) INTO new_listings FROM ${SCHEMA}.listing AS l WHERE l.owner = the_owner
        AND l.made_at > settled_at - 3600 AND l.made_at <= greatest(settled_at, extract(epoch FROM now())) + 3600;
      IF new_listings >= new_per_hour THEN
        RETURN QUERY SELECT 'too many new', NULL::bigint, NULL, NULL, NULL::bigint, NULL::bigint,
          NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
        RETURN;
      END IF;
    END IF;
    head.position := head.position + 1;
    IF before.id IS NULL THEN
      head.listings := head.listings + 1;
      after := (head.listings, head.position, the_key, the_owner, the_item, the_ledger, the_closed_at, settled_at);
      INSERT INTO ${SCHEMA}.listing SELECT (after).*;
    ELSE
      after := before;
      after.item := the_item;
      after.ledger := the_ledger;
      after.closed_at := the_closed_at;
      UPDATE ${SCHEMA}.listing AS l SET
        position = head.position, item = the_item, ledger = the_ledger, closed_at = the_closed_at
      WHERE l.id = before.id;
      head.checksum := head.checksum # ${SCHEMA}.listing_hash(before);
    END IF;
    IF earlier_words IS NOT NULL THEN
      head.clock := head.clock + 1;
      INSERT INTO ${SCHEMA}.earlier_wording
      VALUES (head.clock, head.position, before.id, earlier_words, earlier_length);
      DELETE FROM ${SCHEMA}.earlier_wording WHERE reworded <= head.clock - kept_wordings;
    END IF;
    head.checksum := head.checksum # ${SCHEMA}.listing_hash(after);
    UPDATE ${SCHEMA}.catalog AS c SET position = head.position, listings = head.listings, clock = head.clock,
      checksum = head.checksum;
    UPDATE ${SCHEMA}.entry AS e SET listing = NULL WHERE e.hash = paid_by;
    PERFORM pg_notify('${SCHEMA}_catalog', head.position::text);
    RETURN QUERY SELECT 'written', head.position, NULL, NULL, NULL::bigint, NULL::bigint,
      after.id, head.listings, head.clock, head.checksum;
  END
  $$;
`;
