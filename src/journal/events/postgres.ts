import type { Database } from '../../store/postgres.ts';
import { SCHEMA } from '../../store/postgresSchema.ts';
import type { JournalLimits } from '../limits.ts';
import {
  eventOf,
  failingEventOf,
  NO_ROOM,
  pageOf,
  progressOf,
  startOf,
  stateOf,
  type Events,
} from './event.ts';

// Times are the database's own. Claims pass over rows that another instance is claiming.

const CLAIM = `
  UPDATE ${SCHEMA}.event SET due_at = clock_timestamp() + $2::float8 * interval '1 millisecond', attempts = attempts + 1
  WHERE seq IN (
    SELECT seq FROM ${SCHEMA}.event WHERE due_at <= now() ORDER BY due_at, seq LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id, record, attempts`;

const DELIVERED = `SELECT ${SCHEMA}.deliver_event($1, $2)`;

const PUT_OFF = `
  UPDATE ${SCHEMA}.event SET
    due_at = clock_timestamp() + $4::float8 * interval '1 millisecond', failed_at = clock_timestamp(), failure = $3
  WHERE id = $1 AND attempts = $2 AND given_up_at IS NULL`;

const GIVE_UP = `SELECT ${SCHEMA}.give_up_event($1, $2, $3) AS is_given_up`;

const DISCARD = `DELETE FROM ${SCHEMA}.event WHERE id = $1 AND given_up_at IS NOT NULL RETURNING id`;

const RETRY = `SELECT ${SCHEMA}.retry_event($1) AS is_queued`;

const FAILING = `
  SELECT * FROM ${SCHEMA}.event WHERE failed_at IS NOT NULL AND given_up_at IS NULL ORDER BY seq LIMIT $1`;

const DEAD_LETTERS = `
  SELECT * FROM ${SCHEMA}.event WHERE given_up_at IS NOT NULL AND seq < $1 ORDER BY seq DESC LIMIT $2`;

const COUNTS = `
  SELECT pending, oldest.queued_at AS oldest_at,
    (SELECT count(*) FROM ${SCHEMA}.event WHERE given_up_at IS NOT NULL) AS dead
  FROM (SELECT count(*) AS pending, min(seq) AS first FROM ${SCHEMA}.event WHERE given_up_at IS NULL) AS waiting
  LEFT JOIN ${SCHEMA}.event AS oldest ON oldest.seq = first`;

const LATEST_FAILURE = `
  SELECT id, failure, failed_at FROM ${SCHEMA}.event WHERE failed_at IS NOT NULL ORDER BY failed_at DESC LIMIT 1`;

const ONE = `
  SELECT * FROM ${SCHEMA}.event WHERE id IN ('settled_' || $1, 'failed_' || $1) ORDER BY seq DESC LIMIT 1`;

const TOLD_AT = `SELECT told_at FROM ${SCHEMA}.entry WHERE hash = $1`;

const MAKE_ROOM = `SELECT ${SCHEMA}.give_up_events($1, $2) AS given_up`;

const FORGET = `
  DELETE FROM ${SCHEMA}.event WHERE given_up_at IS NOT NULL AND (given_up_at < now() - make_interval(days => $1)
    OR seq <= (SELECT seq FROM ${SCHEMA}.event WHERE given_up_at IS NOT NULL ORDER BY seq DESC OFFSET $2 LIMIT 1))`;

export function createPostgresEvents({ query }: Pick<Database, 'query'>): Events {
  return {
    claim: async (limit, leaseMs) => (await query(CLAIM, [limit, leaseMs])).map(eventOf),
    delivered: async ({ id, record }) => void (await query(DELIVERED, [id, record.hash])),
    putOff: async ({ id, attempts }, failure, delayMs) =>
      void (await query(PUT_OFF, [id, attempts, failure, delayMs])),
    giveUp: async ({ id, attempts }, failure) => void (await query(GIVE_UP, [id, attempts, failure])),
    failing: async (limit) => (await query(FAILING, [limit])).map(failingEventOf),
    async giveUpFailing(id) {
      const [row] = await query(GIVE_UP, [id, null, null]);
      return row?.['is_given_up'] === true;
    },
    discard: async (id) => (await query(DISCARD, [id])).length > 0,
    async deadLetters(limit, after) {
      const start = startOf(after);
      return start === undefined ? undefined : pageOf(await query(DEAD_LETTERS, [start, limit + 1]), limit);
    },
    async retry(id) {
      const [row] = await query(RETRY, [id]);
      return row?.['is_queued'] === true;
    },
    async state() {
      const [counts] = await query(COUNTS);
      const [latest] = await query(LATEST_FAILURE);
      return stateOf(counts!, latest);
    },
    async ofSettlement(hash) {
      const [row] = await query(ONE, [hash]);
      const [entry] = await query(TOLD_AT, [hash]);
      return progressOf(row, entry?.['told_at']);
    },
  };
}

/** Keeps the events within their limits. Returns how many were given up. */
export async function makeRoomForEvents(
  { query }: Pick<Database, 'query'>,
  { eventsKept, deadEventsKept, deadEventDaysKept }: JournalLimits,
): Promise<number> {
  const [row] = await query(MAKE_ROOM, [eventsKept, NO_ROOM]);
  await query(FORGET, [deadEventDaysKept, deadEventsKept]);
  return Number(row?.['given_up'] ?? 0);
}
