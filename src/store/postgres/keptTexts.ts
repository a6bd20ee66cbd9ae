import { SCHEMA } from './schema.ts';

/** Lets the keeper act on a listing whatever its seller wrote. A step that was released never changes. */
export const KEPT_TEXTS = `
  -- PostgreSQL reads no JSON with a NUL or half a character in it, wherever that is. The URL has neither.
  CREATE FUNCTION ${SCHEMA}.resource_of(item text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(item, '\\\\u(0000|d[89a-f]..)', '\\\\ufffd', 'g')::json->>'resource'
  $$;

  -- Works like the one before.
  CREATE OR REPLACE FUNCTION ${SCHEMA}.keep_listing(the_id bigint, the_action text, the_act json)
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
`;
