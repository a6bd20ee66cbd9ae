/** Files of a service without a database, which are to be moved into one. */
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { settlementOf } from '../catalog/drafts.ts';
import { createRandom } from '../catalog/random.ts';
import { randomDraft } from '../catalog/randomCatalog.ts';
import { runInside } from '../support/cli.ts';

export const runMigrate = (DB_PATH: string, DATABASE_URL: string | undefined, ...args: string[]) =>
  runInside(['migrate', ...args], { DB_PATH, DATABASE_URL });

const ENTRY = `INSERT INTO entry (hash, opened_at, payer, party, "authorization", submitter, sequence,
  inclusion_bid_stroops, total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, is_stellar_asset, listing,
  ended_at, status, ledger, closed_at, fee_charged_stroops) VALUES `;

/** Entries that settled, failed and are open. The first is one of an older version. */
const ENTRIES = `
  ('h1', 1700000000001, 'GP', NULL, 'GP:1', 'GS', '9007199254740993', 1, 2, 3, 4, 5, NULL, NULL, 1700000000999, 'success', 6, 7, 8),
  ('h2', 1700000001000, 'GP', 'GQ', 'GP:2', 'GS', '2', 1, 2, 3, 4, 5, 1, '{"due":1}', 1700000001001, 'success', 6, 7, 8),
  ('h4', 1700000002000, 'GP', 'GQ', 'GP:4', 'GS', '3', 1, 2, 3, 4, 5, 0, NULL, 1700000002500, 'failed', NULL, NULL, 8),
  ('h3', 1700000003000, 'GP', 'GQ', 'GP:3', 'GT', '4', 1, 2, 3, 4, 5, 1, '{"later":1}', NULL, NULL, NULL, NULL, NULL)`;

/** Fees of entries that have been deleted since, and of one that is open. */
const TOTALS = `
  UPDATE entry SET caller = 'anonymous', counted_stroops = 2 WHERE hash = 'h3';
  INSERT INTO fee_total VALUES ('key:0123456789ab 2023-11-14', '2023-11-14', 70000);
  UPDATE fee_total SET stroops = stroops + 70000 WHERE name = 'service 2023-11-14'`;

/** Events that wait, that are due and that were given up. */
const EVENTS = `INSERT INTO event VALUES
  (3, 'settled_h1', 'P', '{"hash":"h1"}', 1700000000999, 2, 1700000001999, 1700000001000, 'HTTP status 500', NULL),
  (4, 'settled_h2', 'P', '{"hash":"h2"}', 1700000001001, 0, NULL, NULL, NULL, NULL),
  (7, 'failed_h4', 'P', '{"hash":"h4"}', 1700000002500, 9, NULL, 1700000002600, 'lost', 1700000002600);
  UPDATE entry SET told_at = 1700000009000 WHERE hash = 'h1'`;

const ODD_TEXT = 'sun \u0000 "quoted" \\u0000 \ud800 🌞';

/** Fills the journal's file, and the catalog's with the listings `n1`, `n2` and so on; rewords the first ten. */
export function fillFiles(path: string, count: number): void {
  const store = createSqliteStore(openDatabase(path));
  const random = createRandom(1);
  const drafts = Array.from({ length: count }, (_, nth) => randomDraft(random, `n${nth + 1}`, 50));
  store.put(
    [...drafts, ...drafts.slice(0, 10).map((draft) => ({ ...draft, description: ODD_TEXT }))].map(
      settlementOf,
    ),
  );
  store.close();
  const journal = openJournalFile(journalPathOf(path));
  journal.exec(ENTRY + ENTRIES);
  journal.exec(TOTALS);
  journal.exec(EVENTS);
  journal.close();
}
