import { SCHEMA } from './schema.ts';

/** Lets a signature of a seller count once, whatever becomes of its listing. A step that was released never changes. */
export const SIGNED = `
  -- When an owner signed last about a listing, by a hash of both. Kept for an hour: no signature counts for so long.
  CREATE TABLE ${SCHEMA}.seller_signed (
    key bytea PRIMARY KEY,
    signed_at_ms bigint NOT NULL
  );
  CREATE INDEX ON ${SCHEMA}.seller_signed (signed_at_ms);

  CREATE FUNCTION ${SCHEMA}.signed_key(the_key bytea, the_owner text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(the_key || convert_to(the_owner, 'UTF8'))
  $$;

  CREATE FUNCTION ${SCHEMA}.note_signed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM ${SCHEMA}.seller_signed AS g WHERE g.signed_at_ms < NEW.signed_at_ms - 3600000;
    INSERT INTO ${SCHEMA}.seller_signed
    SELECT ${SCHEMA}.signed_key(l.key, l.owner), NEW.signed_at_ms FROM ${SCHEMA}.listing AS l WHERE l.id = NEW.listing
    ON CONFLICT (key) DO UPDATE SET signed_at_ms = excluded.signed_at_ms;
    RETURN NULL;
  END
  $$;
  CREATE TRIGGER note_signed AFTER INSERT OR UPDATE OF signed_at_ms ON ${SCHEMA}.seller_act FOR EACH ROW
    EXECUTE FUNCTION ${SCHEMA}.note_signed();

  -- An owner that comes back, or whose listing was removed and sold anew, has signed before.
  CREATE FUNCTION ${SCHEMA}.recall_signed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO ${SCHEMA}.seller_act
    SELECT NEW.id, false, NEW.hidden, g.signed_at_ms FROM ${SCHEMA}.seller_signed AS g
    WHERE g.key = ${SCHEMA}.signed_key(NEW.key, NEW.owner)
    ON CONFLICT (listing) DO NOTHING;
    RETURN NULL;
  END
  $$;
  CREATE TRIGGER recall_signed AFTER INSERT OR UPDATE OF owner ON ${SCHEMA}.listing FOR EACH ROW
    WHEN (NEW.owner <> '') EXECUTE FUNCTION ${SCHEMA}.recall_signed();
`;
