import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';

/** The last process that uses the file locks it for a moment when it closes. */
const LOCKED_AT_MOST_MS = 5_000;

/** A row of the journal. */
export interface JournalRow {
  readonly hash: string;
  readonly authorization: string;
  readonly submitter: string;
  /** Null while its outcome is not known. */
  readonly status: string | null;
  readonly ledger: number | null;
  readonly feeChargedStroops: number | null;
  readonly bidStroops: number;
  /** Stroops that count for its budget. */
  readonly countedStroops: number;
  /** Stroops that all entries count for, as kept beside them; the same in each row. */
  readonly totalStroops?: number;
  /** True if it still has a listing to be made. */
  readonly isListingDue: boolean;
  /** True if the receiver of webhooks is still to be told. */
  readonly hasEvent?: boolean;
}

/** Reads the journal's rows, oldest first; none where there is no journal yet. Leaves the file as it is. */
export function readJournal(path: string): JournalRow[] {
  if (!existsSync(path)) return [];
  using db = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_AT_MOST_MS });
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'entry'").get()!;
  if (tables['n'] === 0) return [];
  const rows = db.prepare(
    `SELECT hash, authorization, submitter, status, ledger, fee_charged_stroops AS feeChargedStroops,
       total_bid_stroops AS bidStroops, counted_stroops AS countedStroops,
       (SELECT sum(stroops) FROM fee_total WHERE name LIKE 'service %') AS totalStroops, listing IS NOT NULL AND status = 'success' AS isListingDue,
       EXISTS (SELECT 1 FROM event WHERE event.id IN ('settled_' || hash, 'failed_' || hash)) AS hasEvent
     FROM entry ORDER BY id`,
  );
  return rows
    .all()
    .map(
      (row) =>
        ({ ...row, isListingDue: row['isListingDue'] === 1, hasEvent: row['hasEvent'] === 1 }) as JournalRow,
    );
}

/** Reads the same rows from the database that instances share. */
export async function readSharedJournal(client: pg.Client): Promise<JournalRow[]> {
  const { rows } = await client.query<JournalRow>(
    `SELECT hash, "authorization", submitter, status, ledger::int, fee_charged_stroops::int AS "feeChargedStroops",
       total_bid_stroops::int AS "bidStroops", counted_stroops::int AS "countedStroops",
       (SELECT sum(stroops) FROM facilitator.fee_total WHERE name LIKE 'service %')::int AS "totalStroops", listing IS NOT NULL AND coalesce(status = 'success', false) AS "isListingDue",
       EXISTS (SELECT FROM facilitator.event AS told WHERE told.id IN ('settled_' || hash, 'failed_' || hash)) AS "hasEvent"
     FROM facilitator.entry ORDER BY id`,
  );
  return rows;
}

const FIRST_IN_LINE = `
  SELECT id FROM event WHERE given_up_at IS NULL AND recipient = (SELECT recipient FROM event WHERE id = ?)
  ORDER BY seq LIMIT 1`;

/** Returns the event that is first in the line of this one; undefined if that waits no more. */
export function firstInLine(path: string, id: string): string | undefined {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(FIRST_IN_LINE).get(id)?.['id'] as string | undefined;
}

/** Returns the same from the database that instances share. */
export async function firstInSharedLine(
  pool: Pick<pg.Pool, 'query'>,
  id: string,
): Promise<string | undefined> {
  const statement = FIRST_IN_LINE.replaceAll('FROM event', 'FROM facilitator.event').replace('?', '$1');
  const { rows } = await pool.query<{ id: string }>(statement, [id]);
  return rows[0]?.id;
}
