import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';

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
  /** True if it still has a listing to be made. */
  readonly isListingDue: boolean;
}

/** Reads the journal's rows, oldest first; none where there is no journal yet. Leaves the file as it is. */
export function readJournal(path: string): JournalRow[] {
  if (!existsSync(path)) return [];
  using db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'entry'").get()!;
  if (tables['n'] === 0) return [];
  const rows = db.prepare(
    `SELECT hash, authorization, submitter, status, ledger, fee_charged_stroops AS feeChargedStroops,
       total_bid_stroops AS bidStroops, listing IS NOT NULL AND status = 'success' AS isListingDue
     FROM entry ORDER BY id`,
  );
  return rows.all().map((row) => ({ ...row, isListingDue: row['isListingDue'] === 1 }) as JournalRow);
}

/** Reads the same rows from the database that instances share. */
export async function readSharedJournal(client: pg.Client): Promise<JournalRow[]> {
  const { rows } = await client.query<JournalRow>(
    `SELECT hash, "authorization", submitter, status, ledger::int, fee_charged_stroops::int AS "feeChargedStroops",
       total_bid_stroops::int AS "bidStroops", listing IS NOT NULL AND coalesce(status = 'success', false) AS "isListingDue"
     FROM facilitator.entry ORDER BY id`,
  );
  return rows;
}
