import { SCHEMA } from './schema.ts';

/** What sellers hide themselves, as part of the catalog's log. A step that was released never changes. */
export const SELLER_ACTS = `
  -- Listings about which a seller has ever signed something: who hides each, and when the seller signed last. A listing is
  -- hidden by itself if either does.
  CREATE TABLE ${SCHEMA}.seller_act (
    listing bigint PRIMARY KEY,
    by_seller boolean NOT NULL,
    by_operator boolean NOT NULL,
    signed_at_ms bigint NOT NULL
  );

  -- Hides a listing for its seller, or ends that. If 'is_hidden' is null, only notes when something was signed.
  -- 'covering' are the keys of the blocks that would hide it.
  CREATE FUNCTION ${SCHEMA}.seller_act(
    the_key bytea, the_owner text, is_hidden boolean, the_signed_at_ms bigint, covering text[]
  ) RETURNS TABLE (outcome text, at bigint) LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    before ${SCHEMA}.listing;
    after ${SCHEMA}.listing;
    act ${SCHEMA}.seller_act;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    SELECT * INTO before FROM ${SCHEMA}.listing AS l WHERE l.key = the_key;
    IF before.id IS NULL OR before.owner <> the_owner THEN
      RETURN QUERY SELECT 'unknown', NULL::bigint;
      RETURN;
    END IF;
    SELECT * INTO act FROM ${SCHEMA}.seller_act AS s WHERE s.listing = before.id;
    IF act.signed_at_ms >= the_signed_at_ms THEN
      RETURN QUERY SELECT 'outdated', NULL::bigint;
      RETURN;
    END IF;
    after := before;
    is_hidden := coalesce(is_hidden, act.by_seller, false);
    after.hidden := is_hidden OR coalesce(act.by_operator, before.hidden);
    INSERT INTO ${SCHEMA}.seller_act
    VALUES (before.id, is_hidden, coalesce(act.by_operator, before.hidden), the_signed_at_ms)
    ON CONFLICT (listing) DO UPDATE SET by_seller = is_hidden, signed_at_ms = the_signed_at_ms;
    IF after.hidden <> before.hidden THEN
      head.position := head.position + 1;
      after.position := head.position;
      UPDATE ${SCHEMA}.listing AS l SET position = after.position, hidden = after.hidden WHERE l.id = before.id;
      UPDATE ${SCHEMA}.catalog AS c SET position = after.position,
        checksum = head.checksum # ${SCHEMA}.listing_hash(before) # ${SCHEMA}.listing_hash(after);
      PERFORM pg_notify('${SCHEMA}_catalog', after.position::text);
    END IF;
    RETURN QUERY SELECT
      CASE WHEN after.hidden OR EXISTS (
        SELECT FROM ${SCHEMA}.keeper_block AS b WHERE b.key = ANY (covering) AND b.is_active)
      THEN 'hidden' ELSE 'shown' END,
      head.position;
  END
  $$;

  ALTER FUNCTION ${SCHEMA}.keep_listing(bigint, text, json) RENAME TO keep_listing_alone;

  -- Works like the one before, which does not know sellers: what the operator shows, a seller may still hide.
  CREATE FUNCTION ${SCHEMA}.keep_listing(the_id bigint, the_action text, the_act json)
  RETURNS TABLE (outcome text, at bigint) LANGUAGE plpgsql AS $$
  DECLARE
    head ${SCHEMA}.catalog;
    act ${SCHEMA}.seller_act;
  BEGIN
    SELECT * INTO STRICT head FROM ${SCHEMA}.catalog FOR UPDATE;
    IF the_action = 'remove' THEN
      DELETE FROM ${SCHEMA}.seller_act AS s WHERE s.listing = the_id;
    ELSE
      UPDATE ${SCHEMA}.seller_act AS s SET by_operator = (the_action = 'hide')
      WHERE s.listing = the_id AND s.by_operator <> (the_action = 'hide')
      RETURNING * INTO act;
      IF act.by_seller THEN
        PERFORM ${SCHEMA}.add_keeper_act(the_act, the_action, ${SCHEMA}.resource_of(l.item), the_id, NULL)
        FROM ${SCHEMA}.listing AS l WHERE l.id = the_id;
        RETURN QUERY SELECT 'done', head.position;
        RETURN;
      END IF;
      IF act.listing IS NULL AND EXISTS (SELECT FROM ${SCHEMA}.seller_act AS s WHERE s.listing = the_id) THEN
        RETURN QUERY SELECT 'already done', NULL::bigint;
        RETURN;
      END IF;
    END IF;
    RETURN QUERY SELECT * FROM ${SCHEMA}.keep_listing_alone(the_id, the_action, the_act);
  END
  $$;
`;
