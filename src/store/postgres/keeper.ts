import { SCHEMA } from './schema.ts';

/** What the operator keeps out of the catalog, as part of its log. A step that was released never changes. */
export const KEEPER = `
  -- True if the operator hid it by itself, or removed it: 'item' and 'owner' are then empty, and its name is free.
  ALTER TABLE ${SCHEMA}.listing ADD COLUMN hidden boolean NOT NULL DEFAULT false;

  -- Blocked origins and recipients, and those that were. The log holds the latest entry of each.
  CREATE TABLE ${SCHEMA}.keeper_block (
    -- The kind, and what the block covers.
    key text PRIMARY KEY,
    kind text NOT NULL,
    value text NOT NULL,
    since_ms bigint NOT NULL,
    is_active boolean NOT NULL,
    position bigint NOT NULL UNIQUE
  );

  -- Who did what, when and why. 'target' is the key of a block.
  CREATE TABLE ${SCHEMA}.keeper_act (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms bigint NOT NULL,
    source text NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    listing bigint,
    target text,
    reason text NOT NULL
  );

  CREATE OR REPLACE FUNCTION ${SCHEMA}.listing_hash(${SCHEMA}.listing) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ('x' || encode(substring(sha256(convert_to(
      concat_ws(' ', $1.id, $1.owner, $1.ledger, $1.closed_at, $1.item, CASE WHEN $1.hidden THEN 'hidden' END), 'UTF8'))
      FROM 1 FOR 8), 'hex'))::bit(64)::bigint
  $$;
  CREATE FUNCTION ${SCHEMA}.block_hash(key text) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT ('x' || encode(substring(sha256(convert_to('block ' || key, 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint
  $$;

  -- Works like the one before, and refuses what a block covers.
  DROP FUNCTION ${SCHEMA}.write_listing(
    bytea, bigint, text, text, bigint, bigint, text, integer, integer, bigint, integer, text);
  CREATE FUNCTION ${SCHEMA}.write_listing(
    the_key bytea, known_position bigint, the_owner text, the_item text, the_ledger bigint, the_closed_at bigint,
    earlier_words text, earlier_length integer, kept_wordings integer, settled_at bigint, new_per_hour integer,
    paid_by text, the_origin text, the_recipient text
  ) RETURNS TABLE (
    outcome text, at bigint, owner text, item text, ledger bigint, closed_at bigint, hidden boolean,
    listing bigint, listings bigint, clock bigint, checksum bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
    new_listings bigint;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    IF EXISTS (SELECT FROM ${SCHEMA}.keeper_block AS b WHERE b.key IN (the_origin, the_recipient) AND b.is_active) THEN
      RETURN QUERY SELECT 'blocked', NULL::bigint, NULL, NULL, NULL::bigint, NULL::bigint, NULL::boolean,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
      RETURN;
    END IF;
    SELECT * INTO before FROM ${SCHEMA}.listing AS l WHERE l.key = the_key;
    IF coalesce(before.position, 0) <> known_position THEN
      RETURN QUERY SELECT 'changed', before.position, before.owner, before.item, before.ledger, before.closed_at,
        before.hidden, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
      RETURN;
    END IF;
    IF before.id IS NULL AND new_per_hour IS NOT NULL THEN
      -- Listings in the future come from a wrong clock. They would count for too long.
      SELECT count(*) INTO new_listings FROM ${SCHEMA}.listing AS l WHERE l.owner = the_owner
        AND l.made_at > settled_at - 3600 AND l.made_at <= greatest(settled_at, extract(epoch FROM now())) + 3600;
      IF new_listings >= new_per_hour THEN
        RETURN QUERY SELECT 'too many new', NULL::bigint, NULL, NULL, NULL::bigint, NULL::bigint, NULL::boolean,
          NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
        RETURN;
      END IF;
    END IF;
    head.position := head.position + 1;
    IF before.id IS NULL THEN
      head.listings := head.listings + 1;
      after := (
        head.listings, head.position, the_key, the_owner, the_item, the_ledger, the_closed_at, settled_at, false);
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
    RETURN QUERY SELECT 'written', head.position, NULL, NULL, NULL::bigint, NULL::bigint, after.hidden,
      after.id, head.listings, head.clock, head.checksum;
  END
  $$;

  CREATE FUNCTION ${SCHEMA}.add_keeper_act(
    the_act json, the_action text, the_subject text, the_listing bigint, the_target text
  ) RETURNS void LANGUAGE sql AS $$
    WITH added AS (
      INSERT INTO ${SCHEMA}.keeper_act (at_ms, source, actor, action, subject, listing, target, reason)
      VALUES ((the_act->>'atMs')::bigint, the_act->>'source', the_act->>'actor', the_action, the_subject, the_listing,
        the_target, the_act->>'reason')
      RETURNING id)
    DELETE FROM ${SCHEMA}.keeper_act WHERE id <= (SELECT id FROM added) - (the_act->>'keptActs')::bigint;
  $$;

  -- PostgreSQL reads no JSON with a NUL or half a character in it, wherever that is. The URL has neither.
  CREATE FUNCTION ${SCHEMA}.resource_of(item text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(item, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'g')::json->>'resource'
  $$;

  -- Hides or removes a listing, or shows it again. 'the_act' says who does so and why.
  CREATE FUNCTION ${SCHEMA}.keep_listing(the_id bigint, the_action text, the_act json)
  RETURNS TABLE (outcome text, at bigint) LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    SELECT * INTO before FROM ${SCHEMA}.listing AS l WHERE l.id = the_id;
    IF before.id IS NULL OR before.item = '' THEN
      RETURN QUERY SELECT 'unknown', NULL::bigint;
      RETURN;
    END IF;
    IF the_action <> 'remove' AND before.hidden = (the_action = 'hide') THEN
      RETURN QUERY SELECT 'already done', NULL::bigint;
      RETURN;
    END IF;
    after := before;
    after.position := head.position + 1;
    after.hidden := the_action <> 'unhide';
    IF the_action = 'remove' THEN
      after.key := sha256(convert_to('["","","' || the_id || '"]', 'UTF8'));
      after.owner := '';
      after.item := '';
      after.ledger := NULL;
      after.closed_at := NULL;
      after.made_at := 0;
      DELETE FROM ${SCHEMA}.earlier_wording AS w WHERE w.listing = the_id;
    END IF;
    UPDATE ${SCHEMA}.listing AS l SET position = after.position, key = after.key, owner = after.owner,
      item = after.item, ledger = after.ledger, closed_at = after.closed_at, made_at = after.made_at,
      hidden = after.hidden
    WHERE l.id = the_id;
    UPDATE ${SCHEMA}.catalog AS c SET position = after.position,
      checksum = head.checksum # ${SCHEMA}.listing_hash(before) # ${SCHEMA}.listing_hash(after);
    PERFORM ${SCHEMA}.add_keeper_act(the_act, the_action, ${SCHEMA}.resource_of(before.item), the_id, NULL);
    PERFORM pg_notify('${SCHEMA}_catalog', after.position::text);
    RETURN QUERY SELECT 'done', after.position;
  END
  $$;

  -- Blocks an origin or a recipient, or ends that.
  CREATE FUNCTION ${SCHEMA}.keep_block(
    the_key text, the_kind text, the_value text, is_blocked boolean, max_blocks bigint, the_act json
  ) RETURNS TABLE (outcome text, at bigint) LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    was_blocked boolean;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    was_blocked := EXISTS (SELECT FROM ${SCHEMA}.keeper_block AS b WHERE b.key = the_key AND b.is_active);
    IF NOT is_blocked AND NOT was_blocked THEN
      RETURN QUERY SELECT 'not blocked', NULL::bigint;
      RETURN;
    END IF;
    IF is_blocked AND NOT was_blocked
      AND (SELECT count(*) FROM ${SCHEMA}.keeper_block AS b WHERE b.is_active) >= max_blocks THEN
      RETURN QUERY SELECT 'too many blocks', NULL::bigint;
      RETURN;
    END IF;
    IF is_blocked <> was_blocked THEN
      head.position := head.position + 1;
      INSERT INTO ${SCHEMA}.keeper_block
      VALUES (the_key, the_kind, the_value, (the_act->>'atMs')::bigint, is_blocked, head.position)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, since_ms = excluded.since_ms,
        is_active = excluded.is_active, position = excluded.position;
      UPDATE ${SCHEMA}.catalog AS c
      SET position = head.position, checksum = head.checksum # ${SCHEMA}.block_hash(the_key);
      PERFORM pg_notify('${SCHEMA}_catalog', head.position::text);
    END IF;
    PERFORM ${SCHEMA}.add_keeper_act(
      the_act, CASE WHEN is_blocked THEN 'block' ELSE 'unblock' END, the_value, NULL, the_key);
    RETURN QUERY SELECT 'done', head.position;
  END
  $$;
`;
