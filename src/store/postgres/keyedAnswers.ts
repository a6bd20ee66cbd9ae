import { SCHEMA } from './schema.ts';

const PARAMETERS = `
  instance uuid, the_hash text, the_opening uuid, the_payer text, the_party text, the_listing text,
  the_authorization text, the_submitter text, the_sequence numeric, the_inclusion_bid bigint, the_total_bid bigint,
  the_max_time bigint, the_last_ledger bigint, verified_in_ledger bigint, the_asset_is_stellar boolean,
  the_caller text, caller_limit bigint, service_limit bigint, record jsonb, the_key_hash text, the_body_hash text`;

/** What callers name settlements by, and what they were answered. A step that was released never changes. */
export const KEYED_ANSWERS = `
  -- Hashes are SHA-256, in hex. Null without a key.
  ALTER TABLE ${SCHEMA}.entry ADD COLUMN key_hash text;
  CREATE TABLE ${SCHEMA}.keyed_answer (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    caller text NOT NULL,
    key_hash text NOT NULL,
    body_hash text NOT NULL,
    "authorization" text NOT NULL,
    created_at timestamptz NOT NULL,
    answer text, -- JSON; null until a ledger has decided
    is_settled boolean NOT NULL DEFAULT false,
    UNIQUE (caller, key_hash)
  );
  CREATE INDEX keyed_answer_created_at ON ${SCHEMA}.keyed_answer (created_at);
  CREATE INDEX keyed_answer_newest ON ${SCHEMA}.keyed_answer (caller, id);

  -- Opens an entry like the function without a key, which stays for instances of an earlier version. The key may be null.
  -- It must be free, or stand for the same body and have no answer yet. Its row is locked before all others.
  CREATE FUNCTION ${SCHEMA}.open_entry(${PARAMETERS}
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    opened text;
    is_new boolean := false;
  BEGIN
    IF the_key_hash IS NOT NULL THEN
      INSERT INTO ${SCHEMA}.keyed_answer AS k (caller, key_hash, body_hash, "authorization", created_at)
      VALUES (the_caller, the_key_hash, the_body_hash, the_authorization, clock_timestamp())
      ON CONFLICT (caller, key_hash) DO NOTHING;
      is_new := FOUND;
      PERFORM FROM ${SCHEMA}.keyed_answer AS k
      WHERE k.caller = the_caller AND k.key_hash = the_key_hash AND k.body_hash = the_body_hash AND k.answer IS NULL
      FOR UPDATE;
      IF NOT FOUND THEN
        RETURN 'key taken';
      END IF;
    END IF;
    opened := ${SCHEMA}.open_entry(instance, the_hash, the_opening, the_payer, the_party, the_listing, the_authorization,
      the_submitter, the_sequence, the_inclusion_bid, the_total_bid, the_max_time, the_last_ledger, verified_in_ledger,
      the_asset_is_stellar, the_caller, caller_limit, service_limit, record);
    IF opened = 'open' THEN
      UPDATE ${SCHEMA}.entry AS e SET key_hash = the_key_hash
      WHERE e.hash = the_hash AND e.key_hash IS DISTINCT FROM the_key_hash;
    ELSIF is_new THEN
      DELETE FROM ${SCHEMA}.keyed_answer AS k WHERE k.caller = the_caller AND k.key_hash = the_key_hash;
    END IF;
    RETURN opened;
  END
  $$;
`;
