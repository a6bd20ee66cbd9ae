import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../store/sqliteFile.ts';
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
import { callNext, MAKE_EVENTS } from './table.ts';

const DAY_MS = 86_400_000;

export interface SqliteEventsDeps {
  db: DatabaseSync;
  now: () => number;
  /** Writes the outcomes that the file did not take. */
  writeHeld: () => void;
}

const IS_STILL_CLAIMED = 'id = ? AND attempts = ? AND given_up_at IS NULL';

const prepare = (db: DatabaseSync) => ({
  // An earlier process set these times, by a clock that may have been wrong.
  forgetTimes: db.prepare('UPDATE event SET due_at = ?1 WHERE due_at > ?1'),
  setBack: db.prepare('UPDATE event SET due_at = due_at - ?2 WHERE due_at > ?1'),
  selectDue: db.prepare(
    'SELECT seq, id, record, attempts + 1 AS attempts FROM event WHERE due_at <= ?1 ORDER BY due_at, seq LIMIT ?2',
  ),
  claim: db.prepare('UPDATE event SET due_at = ?, attempts = attempts + 1 WHERE seq = ?'),
  remove: db.prepare('DELETE FROM event WHERE id = ? RETURNING recipient'),
  noteTold: db.prepare('UPDATE entry SET told_at = ? WHERE hash = ?'),
  nextOf: db.prepare(callNext('?1', '?2')),
  putOff: db.prepare(`UPDATE event SET due_at = ?, failed_at = ?, failure = ? WHERE ${IS_STILL_CLAIMED}`),
  // Without a failure and a number of attempts, it must have failed before.
  giveUp: db.prepare(
    `UPDATE event SET due_at = NULL, given_up_at = ?1, failed_at = ?1, failure = coalesce(?2, failure)
     WHERE id = ?3 AND given_up_at IS NULL AND attempts = coalesce(?4, attempts)
       AND coalesce(?2, failure) IS NOT NULL RETURNING recipient`,
  ),
  selectFailing: db.prepare(
    'SELECT * FROM event WHERE failed_at IS NOT NULL AND given_up_at IS NULL ORDER BY seq LIMIT ?',
  ),
  discard: db.prepare('DELETE FROM event WHERE id = ? AND given_up_at IS NOT NULL'),
  retry: db.prepare(
    `UPDATE event SET seq = (SELECT max(seq) + 1 FROM event), given_up_at = NULL, attempts = 0, queued_at = ?,
       failed_at = NULL, failure = NULL
     WHERE id = ? AND given_up_at IS NOT NULL RETURNING recipient`,
  ),
  selectDead: db.prepare(
    'SELECT * FROM event WHERE given_up_at IS NOT NULL AND seq < CAST(? AS INTEGER) ORDER BY seq DESC LIMIT ?',
  ),
  // The indexes are far smaller than the table.
  count: db.prepare(
    `SELECT pending, oldest.queued_at AS oldest_at,
       (SELECT count(*) FROM event INDEXED BY event_dead WHERE given_up_at IS NOT NULL) AS dead
     FROM (SELECT count(*) AS pending, min(seq) AS first FROM event INDEXED BY event_pending WHERE given_up_at IS NULL)
     LEFT JOIN event AS oldest ON oldest.seq = first`,
  ),
  selectLatestFailure: db.prepare(
    'SELECT id, failure, failed_at FROM event WHERE failed_at IS NOT NULL ORDER BY failed_at DESC LIMIT 1',
  ),
  selectOne: db.prepare(
    "SELECT * FROM event WHERE id IN ('settled_' || ?1, 'failed_' || ?1) ORDER BY seq DESC LIMIT 1",
  ),
  selectToldAt: db.prepare('SELECT told_at FROM entry WHERE hash = ?'),
});

/** From now on, each outcome that this connection records gets its event. */
export function createSqliteEvents({ db, now, writeHeld }: SqliteEventsDeps): Events {
  db.exec(MAKE_EVENTS);
  const statements = prepare(db);
  let claimedAtMs: number | undefined;

  /** Takes an event out of its recipient's line, or adds one, and makes the next one due. */
  const moveLine = (work: () => Record<string, unknown> | undefined): boolean =>
    transaction(db, 'BEGIN IMMEDIATE', () => {
      const row = work();
      if (row !== undefined) statements.nextOf.run(String(row['recipient']), now());
      return row !== undefined;
    });

  /** Keeps every wait as long as it was meant to be, if the clock was set back since the last claim. */
  function correctTimes(nowMs: number): void {
    if (claimedAtMs === undefined) statements.forgetTimes.run(nowMs);
    else if (nowMs < claimedAtMs) statements.setBack.run(nowMs, claimedAtMs - nowMs);
    claimedAtMs = nowMs;
  }

  return {
    claim(limit, leaseMs) {
      writeHeld();
      const nowMs = now();
      correctTimes(nowMs);
      const due = statements.selectDue.all(nowMs, limit);
      if (due.length === 0) return [];
      return transaction(db, 'BEGIN IMMEDIATE', () => {
        for (const { seq } of due) statements.claim.run(nowMs + leaseMs, seq!);
        return due.map(eventOf);
      });
    },
    delivered({ id, record }) {
      moveLine(() => {
        statements.noteTold.run(now(), record.hash);
        return statements.remove.get(id);
      });
    },
    putOff: ({ id, attempts }, failure, delayMs) =>
      void statements.putOff.run(now() + delayMs, now(), failure, id, attempts),
    giveUp: ({ id, attempts }, failure) =>
      void moveLine(() => statements.giveUp.get(now(), failure, id, attempts)),
    failing: (limit) => statements.selectFailing.all(limit).map(failingEventOf),
    giveUpFailing: (id) => moveLine(() => statements.giveUp.get(now(), null, id, null)),
    discard: (id) => statements.discard.run(id).changes > 0,
    deadLetters(limit, after) {
      const start = startOf(after);
      return start === undefined ? undefined : pageOf(statements.selectDead.all(start, limit + 1), limit);
    },
    retry: (id) => moveLine(() => statements.retry.get(now(), id)),
    state: () => stateOf(statements.count.get()!, statements.selectLatestFailure.get()),
    ofSettlement: (hash) =>
      progressOf(statements.selectOne.get(hash), statements.selectToldAt.get(hash)?.['told_at']),
  };
}

export interface EventRoomDeps {
  db: DatabaseSync;
  limits: JournalLimits;
  now: () => number;
  onGivenUp: (events: number) => void;
}

/** Returns a function that keeps the events within their limits. */
export function createEventRoom({ db, limits, now, onGivenUp }: EventRoomDeps): () => void {
  const countPending = db.prepare(
    'SELECT count(*) AS n FROM event INDEXED BY event_pending WHERE given_up_at IS NULL',
  );
  const giveUp = db.prepare(
    `UPDATE event SET due_at = NULL, given_up_at = ?1, failed_at = ?1, failure = '${NO_ROOM}'
     WHERE seq IN (SELECT seq FROM event WHERE given_up_at IS NULL ORDER BY seq LIMIT ?2)`,
  );
  const callAll = db.prepare(
    `UPDATE event SET due_at = min(queued_at, ?) WHERE seq IN (
       SELECT min(seq) FROM event WHERE given_up_at IS NULL GROUP BY recipient HAVING max(due_at) IS NULL)`,
  );
  const forgetOld = db.prepare('DELETE FROM event WHERE failed_at < ? AND given_up_at IS NOT NULL');
  const forgetMany = db.prepare(
    `DELETE FROM event WHERE given_up_at IS NOT NULL AND seq <= (
       SELECT seq FROM event WHERE given_up_at IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
  );

  function giveUpOldest(nowMs: number): number {
    const tooMany = Number(countPending.get()!['n']) - limits.eventsKept;
    if (tooMany <= 0) return 0;
    giveUp.run(nowMs, tooMany);
    callAll.run(nowMs);
    return tooMany;
  }

  return () => {
    const nowMs = now();
    const givenUp = transaction(db, 'BEGIN IMMEDIATE', () => {
      forgetOld.run(nowMs - limits.deadEventDaysKept * DAY_MS);
      const count = giveUpOldest(nowMs);
      forgetMany.run(limits.deadEventsKept);
      return count;
    });
    if (givenUp > 0) onGivenUp(givenUp);
  };
}
