import { SCHEMA } from './schema.ts';

/** Lets imported listings go. A step that was released never changes. */
export const IMPORTED = `
  -- Removes a listing that was imported, unless it was paid for meanwhile. Its item then begins otherwise.
  CREATE FUNCTION ${SCHEMA}.remove_imported(the_id bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    SELECT * INTO before FROM ${SCHEMA}.listing AS l WHERE l.id = the_id AND starts_with(l.item, '{"source":');
    IF before.id IS NULL THEN
      RETURN;
    END IF;
    after := before;
    after.position := head.position + 1;
    after.key := sha256(convert_to('["","","' || the_id || '"]', 'UTF8'));
    after.owner := '';
    after.item := '';
    after.ledger := NULL;
    after.closed_at := NULL;
    after.made_at := 0;
    after.hidden := true;
    DELETE FROM ${SCHEMA}.earlier_wording AS w WHERE w.listing = the_id;
    DELETE FROM ${SCHEMA}.seller_act AS s WHERE s.listing = the_id;
    UPDATE ${SCHEMA}.listing AS l SET position = after.position, key = after.key, owner = after.owner,
      item = after.item, ledger = after.ledger, closed_at = after.closed_at, made_at = after.made_at,
      hidden = after.hidden
    WHERE l.id = the_id;
    UPDATE ${SCHEMA}.catalog AS c SET position = after.position,
      checksum = head.checksum # ${SCHEMA}.listing_hash(before) # ${SCHEMA}.listing_hash(after);
    PERFORM pg_notify('${SCHEMA}_catalog', after.position::text);
  END
  $$;
`;
