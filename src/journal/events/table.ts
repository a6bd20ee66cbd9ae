/** The events in the journal's file. A step that was released never changes. */
export const EVENT_TABLE = `CREATE TABLE event (
     seq INTEGER PRIMARY KEY, -- the order of delivery
     id TEXT NOT NULL UNIQUE, -- such as "settled_" and the hash
     recipient TEXT NOT NULL, -- what a pay_to has in common with the muxed addresses of its account
     record TEXT NOT NULL, -- JSON: columns of the entry
     queued_at INTEGER NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0,
     due_at INTEGER, -- null except in the first event of each recipient
     failed_at INTEGER,
     failure TEXT,
     given_up_at INTEGER
   );
   CREATE UNIQUE INDEX event_first ON event (recipient) WHERE due_at IS NOT NULL;
   CREATE INDEX event_due ON event (due_at) WHERE due_at IS NOT NULL;
   CREATE INDEX event_pending ON event (recipient, seq) WHERE given_up_at IS NULL;
   CREATE INDEX event_failing ON event (seq) WHERE failed_at IS NOT NULL AND given_up_at IS NULL;
   CREATE INDEX event_dead ON event (seq) WHERE given_up_at IS NOT NULL;
   CREATE INDEX event_failed ON event (failed_at) WHERE failed_at IS NOT NULL;
   -- When its event was delivered.
   ALTER TABLE entry ADD COLUMN told_at INTEGER`;

/** Lists the columns that an event keeps of its settlement: a record is read from them. */
const KEPT = [
  ...['hash', 'status', 'payer', 'pay_to', 'amount', 'asset', 'resource', 'caller', 'request_id', 'code'],
  ...['message', 'reason', 'submitter', 'total_bid_stroops', 'fee_charged_stroops', 'ledger', 'asked_at'],
  ...['verified_at', 'opened_at', 'closed_at', 'ended_at'],
];

/** Makes the first event of a recipient due. It may have been queued by a clock that was ahead. */
export const callNext = (recipient: string, nowMs: string): string => `
  UPDATE event SET due_at = min(queued_at, ${nowMs}) WHERE seq = (
    SELECT min(seq) FROM event WHERE recipient = ${recipient} AND given_up_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM event WHERE recipient = ${recipient} AND due_at IS NOT NULL)`;

/** The key and the type of an address have the same places in G… and M…, and in C… and W…: the id comes after them. */
const RECIPIENT = "substr(coalesce(NEW.pay_to, ''), 2, 51)";

/**
 * Writes an event with each outcome that a ledger decided, in the transaction that records it. The trigger is this
 * connection's own, so a process without webhooks writes none.
 */
export const MAKE_EVENTS = `
  CREATE TEMP TRIGGER entry_event AFTER UPDATE OF status ON main.entry
  WHEN NEW.status IN ('success', 'failed') AND NEW.status IS NOT OLD.status BEGIN
    INSERT INTO event (id, recipient, record, queued_at) VALUES (
      iif(NEW.status = 'success', 'settled_', 'failed_') || NEW.hash, ${RECIPIENT},
      json_object(${KEPT.map((column) => `'${column}', NEW.${column}`).join(', ')}), NEW.ended_at)
    ON CONFLICT (id) DO NOTHING;
    ${callNext(RECIPIENT, 'NEW.ended_at')};
  END`;
