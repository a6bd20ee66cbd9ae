import { SCHEMA } from '../../store/postgresSchema.ts';

// The statements of the journal. Times are the database's own, so that instances need not agree on the time.

/** Opens an entry of the instance ($1). Returns what became of it as `opened`. Doing it twice changes nothing. */
export const OPEN = `
  SELECT ${SCHEMA}.open_entry(
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) AS opened`;

/** Returns the stroops that count today for a caller ($1) and for the service. */
export const FEE_TOTALS = `SELECT * FROM ${SCHEMA}.fee_totals($1, clock_timestamp())`;

/** Records the outcome of an entry ($1) that was opened by $2. */
export const END = `SELECT ${SCHEMA}.end_entry($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** Does the same, and writes its event in the same transaction. */
export const END_WITH_EVENT = `${END} FROM set_config('${SCHEMA}.webhooks', 'on', true)`;

/** Forgets an entry that was opened in vain: its transaction was not sent. */
export const WITHDRAW = `SELECT ${SCHEMA}.withdraw_entry($1, $2, $3)`;

export const IS_IN_FLIGHT = `SELECT FROM ${SCHEMA}.in_flight WHERE "authorization" = $1`;

/** Returns the entry that settled a payment. What a ledger has taken is found by its authorization. */
export const SETTLED_BY = `
  SELECT hash FROM ${SCHEMA}.entry
  WHERE "authorization" = $1 AND ledger IS NOT NULL AND status = 'success'
    AND pay_to = $2 AND amount = $3 AND asset = $4`;

export const DROP_LISTING = `UPDATE ${SCHEMA}.entry SET listing = NULL, listing_status = $2 WHERE hash = $1`;

export const FAILURES = `
  SELECT party, (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::float8 AS ago_ms FROM ${SCHEMA}.entry
  WHERE status = 'failed' AND ended_at > clock_timestamp() - $1::float8 * interval '1 millisecond' ORDER BY ended_at`;

export const LATEST_CLOSE = `
  SELECT ledger, closed_at FROM ${SCHEMA}.entry WHERE closed_at IS NOT NULL AND ledger IS NOT NULL
  ORDER BY closed_at DESC, ledger DESC LIMIT 1`;

/** Returns settled entries without a written listing. Those that ended less than $2 milliseconds ago may be under way. */
export const UNLISTED = `
  SELECT hash FROM ${SCHEMA}.entry WHERE status = 'success' AND listing IS NOT NULL
    AND ended_at < clock_timestamp() - $2::float8 * interval '1 millisecond'
  ORDER BY ledger, id LIMIT $1`;

export const DUE = `
  SELECT listing, payer, ended_at, ledger, closed_at, is_stellar_asset FROM ${SCHEMA}.entry
  WHERE hash = $1 AND status = 'success' AND listing IS NOT NULL`;

/** Deletes ended entries beyond the newest $1, unless their listing is still to be written. */
export const PRUNE = `
  DELETE FROM ${SCHEMA}.entry WHERE id <= (SELECT max(id) FROM ${SCHEMA}.entry) - $1::bigint
    AND status IS NOT NULL AND NOT (status = 'success' AND listing IS NOT NULL)`;

/** Deletes the fee totals of days more than $1 days ago. */
export const FORGET_FEE_DAYS = `DELETE FROM ${SCHEMA}.fee_total WHERE day < ${SCHEMA}.day_of(clock_timestamp() - make_interval(days => $1))`;

/** Gives up the listings beyond the newest $1, and beyond $2 bytes. */
export const GIVE_UP_LISTINGS = `
  UPDATE ${SCHEMA}.entry SET listing = NULL, listing_status = 'given up' WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER newest AS listings, sum(octet_length(listing)) OVER newest AS bytes
      FROM ${SCHEMA}.entry WHERE status = 'success' AND listing IS NOT NULL WINDOW newest AS (ORDER BY id DESC)
    ) AS due WHERE listings > $1::bigint OR bytes > $2::bigint)
  RETURNING 1`;

/** Returns the entries of these accounts ($1) that have been open for $2 milliseconds, oldest first. */
export const LEFT = `
  SELECT hash, payer, party, "authorization", submitter, sequence, inclusion_bid_stroops, total_bid_stroops,
    max_time_seconds, last_ledger, sent_in_ledger, amount, asset, pay_to, resource, caller, request_id, opened_at, asked_at,
    (extract(epoch FROM clock_timestamp() - opened_at) * 1000)::float8 AS age_ms
  FROM ${SCHEMA}.entry WHERE submitter = ANY ($1) AND status IS NULL
    AND opened_at <= clock_timestamp() - $2::float8 * interval '1 millisecond' ORDER BY id`;

/** Makes these accounts ($1) known. */
export const KNOW = `
  INSERT INTO ${SCHEMA}.channel_account (address) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`;

const TAKE = `
  UPDATE ${SCHEMA}.channel_account
  SET holder = $1, expires_at = clock_timestamp() + $2::float8 * interval '1 millisecond'`;

/** Renews the instance's leases ($1) of these accounts ($3). Returns those that it has. */
export const RENEW = `${TAKE} WHERE holder = $1 AND address = ANY ($3) RETURNING address`;

const IS_FREE = `address = ANY ($3) AND (holder IS NULL OR expires_at <= clock_timestamp())`;

/** Takes up to $4 free accounts of $3. Those whose instance is gone come last. */
export const LEASE = `${TAKE} WHERE address IN (
    SELECT address FROM ${SCHEMA}.channel_account WHERE ${IS_FREE}
    ORDER BY expires_at LIMIT $4 FOR UPDATE SKIP LOCKED)
  RETURNING address`;

/** Takes the free accounts of $3 that have open entries, so that somebody learns their outcomes. */
export const ADOPT = `${TAKE} WHERE address IN (
    SELECT address FROM ${SCHEMA}.channel_account WHERE ${IS_FREE} AND EXISTS (
      SELECT FROM ${SCHEMA}.entry WHERE submitter = address AND status IS NULL)
    FOR UPDATE SKIP LOCKED)
  RETURNING address`;

/** Gives up leases, and tells the others. */
export const GIVE_UP = `
  WITH freed AS (
    UPDATE ${SCHEMA}.channel_account SET holder = NULL, expires_at = '-infinity'
    WHERE holder = $1 AND address = ANY ($2) RETURNING 1
  ) SELECT pg_notify('${SCHEMA}_accounts', $1::text || ' 0') FROM freed LIMIT 1`;

/** Tells the others that this instance ($1) needs $2 accounts. */
export const ASK = `SELECT pg_notify('${SCHEMA}_accounts', $1::text || ' ' || $2::text)`;
