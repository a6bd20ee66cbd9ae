import { SCHEMA } from './schema.ts';

/** The events of webhooks. A step that was released never changes. */
export const EVENTS = `
  CREATE TABLE ${SCHEMA}.event (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- the order of delivery
    id text NOT NULL UNIQUE, -- such as "settled_" and the hash
    recipient text NOT NULL, -- what a pay_to has in common with the muxed addresses of its account
    record text NOT NULL, -- JSON: columns of the entry
    queued_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz, -- null except in the first event of each recipient
    failed_at timestamptz,
    failure text,
    given_up_at timestamptz
  );
  CREATE UNIQUE INDEX event_first ON ${SCHEMA}.event (recipient) WHERE due_at IS NOT NULL;
  CREATE INDEX event_due ON ${SCHEMA}.event (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX event_pending ON ${SCHEMA}.event (recipient, seq) WHERE given_up_at IS NULL;
  CREATE INDEX event_failing ON ${SCHEMA}.event (seq) WHERE failed_at IS NOT NULL AND given_up_at IS NULL;
  CREATE INDEX event_dead ON ${SCHEMA}.event (seq) WHERE given_up_at IS NOT NULL;
  CREATE INDEX event_failed ON ${SCHEMA}.event (failed_at) WHERE failed_at IS NOT NULL;
  ALTER TABLE ${SCHEMA}.entry ADD COLUMN told_at timestamptz; -- when its event was delivered

  -- Until the transaction ends, nobody else moves this recipient's line. Its numbers are then in the order of commits.
  CREATE FUNCTION ${SCHEMA}.lock_line(the_recipient text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(${0x78343032}, hashtext(the_recipient))
  $$;

  -- Makes the first event of a recipient due.
  CREATE FUNCTION ${SCHEMA}.call_next(the_recipient text) RETURNS void LANGUAGE sql AS $$
    UPDATE ${SCHEMA}.event SET due_at = least(queued_at, clock_timestamp()) WHERE seq = (
      SELECT min(seq) FROM ${SCHEMA}.event WHERE recipient = the_recipient AND given_up_at IS NULL)
    AND NOT EXISTS (SELECT FROM ${SCHEMA}.event WHERE recipient = the_recipient AND due_at IS NOT NULL)
  $$;

  CREATE FUNCTION ${SCHEMA}.make_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    -- The key and the type of an address have the same places in G… and M…, and in C… and W…: the id comes after them.
    the_recipient text := substr(coalesce(NEW.pay_to, ''), 2, 51);
  BEGIN
    PERFORM ${SCHEMA}.lock_line(the_recipient);
    INSERT INTO ${SCHEMA}.event (id, recipient, record, queued_at) VALUES (
      CASE NEW.status WHEN 'success' THEN 'settled_' ELSE 'failed_' END || NEW.hash, the_recipient,
      (to_jsonb(NEW) - 'listing')::text, NEW.ended_at)
    ON CONFLICT (id) DO NOTHING;
    PERFORM ${SCHEMA}.call_next(the_recipient);
    RETURN NULL;
  END
  $$;
  -- Writes an event with each outcome that a ledger decided, if the statement that records it asks for that.
  CREATE TRIGGER entry_event AFTER UPDATE ON ${SCHEMA}.entry FOR EACH ROW
  WHEN (NEW.status IN ('success', 'failed') AND NEW.status IS DISTINCT FROM OLD.status
    AND current_setting('${SCHEMA}.webhooks', true) = 'on')
  EXECUTE FUNCTION ${SCHEMA}.make_event();

  CREATE FUNCTION ${SCHEMA}.deliver_event(the_id text, the_hash text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    line text;
  BEGIN
    UPDATE ${SCHEMA}.entry SET told_at = clock_timestamp() WHERE hash = the_hash;
    SELECT recipient INTO line FROM ${SCHEMA}.event WHERE id = the_id;
    IF FOUND THEN
      PERFORM ${SCHEMA}.lock_line(line);
      DELETE FROM ${SCHEMA}.event WHERE id = the_id;
      PERFORM ${SCHEMA}.call_next(line);
    END IF;
  END
  $$;

  -- Makes an event a dead letter, unless somebody else claimed it since its claim number 'the_attempts'. Without that
  -- number and a failure, it must have failed before. Returns false if there is no such event.
  CREATE FUNCTION ${SCHEMA}.give_up_event(the_id text, the_attempts integer, the_failure text)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    line text;
    is_given_up boolean;
  BEGIN
    SELECT recipient INTO line FROM ${SCHEMA}.event WHERE id = the_id;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    PERFORM ${SCHEMA}.lock_line(line);
    UPDATE ${SCHEMA}.event SET due_at = NULL, given_up_at = clock_timestamp(), failed_at = clock_timestamp(),
      failure = coalesce(the_failure, failure)
    WHERE id = the_id AND given_up_at IS NULL AND attempts = coalesce(the_attempts, attempts)
      AND coalesce(the_failure, failure) IS NOT NULL;
    is_given_up := FOUND;
    PERFORM ${SCHEMA}.call_next(line);
    RETURN is_given_up;
  END
  $$;

  -- Queues a dead letter behind the other events of its recipient. Returns false if there is none.
  CREATE FUNCTION ${SCHEMA}.retry_event(the_id text) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    line text;
    is_queued boolean;
  BEGIN
    SELECT recipient INTO line FROM ${SCHEMA}.event WHERE id = the_id;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    PERFORM ${SCHEMA}.lock_line(line);
    UPDATE ${SCHEMA}.event SET seq = DEFAULT, given_up_at = NULL, attempts = 0, queued_at = clock_timestamp(),
      failed_at = NULL, failure = NULL
    WHERE id = the_id AND given_up_at IS NOT NULL;
    is_queued := FOUND;
    PERFORM ${SCHEMA}.call_next(line);
    RETURN is_queued;
  END
  $$;

  -- Makes dead letters of what waits beyond the newest 'kept' events. Returns how many.
  CREATE FUNCTION ${SCHEMA}.give_up_events(kept integer, the_failure text) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    last_given_up bigint;
    given_up bigint;
  BEGIN
    SELECT seq INTO last_given_up FROM ${SCHEMA}.event WHERE given_up_at IS NULL ORDER BY seq DESC OFFSET kept LIMIT 1;
    IF NOT FOUND THEN
      RETURN 0;
    END IF;
    -- Nobody else moves a line meanwhile.
    LOCK TABLE ${SCHEMA}.event IN SHARE ROW EXCLUSIVE MODE;
    UPDATE ${SCHEMA}.event SET
      due_at = NULL, given_up_at = clock_timestamp(), failed_at = clock_timestamp(), failure = the_failure
    WHERE given_up_at IS NULL AND seq <= last_given_up;
    GET DIAGNOSTICS given_up = ROW_COUNT;
    UPDATE ${SCHEMA}.event SET due_at = least(queued_at, clock_timestamp()) WHERE seq IN (
      SELECT min(seq) FROM ${SCHEMA}.event WHERE given_up_at IS NULL GROUP BY recipient HAVING max(due_at) IS NULL);
    RETURN given_up;
  END
  $$;
`;
