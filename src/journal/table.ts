import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { JournalEntry, UnendedEntry } from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import {
  entryOf,
  fact,
  INSERT,
  OTHER_NAMED,
  SETTLED_BY,
  storedOf,
  UPDATE,
  type StoredEntry,
} from './rows.ts';

/** The entries in the file. Each function throws if the file cannot be read or written. */
export type EntryTable = ReturnType<typeof createEntryTable>;

export function createEntryTable(db: DatabaseSync) {
  const insert = db.prepare(INSERT);
  const end = db.prepare(UPDATE);
  const dropListing = db.prepare(
    'UPDATE entry SET listing = NULL, listing_status = ?, listed_at = ? WHERE hash = ?',
  );
  const selectOne = db.prepare(
    'SELECT status, listing, payer, is_stellar_asset, ended_at, ledger, closed_at FROM entry WHERE hash = ?',
  );
  const selectUnended = db.prepare('SELECT * FROM entry WHERE status IS NULL ORDER BY id');
  const selectFailures = db.prepare(
    "SELECT coalesce(party, payer) AS party, ended_at FROM entry WHERE status = 'failed' AND ended_at > ? ORDER BY ended_at",
  );
  const selectLatestClose = db.prepare(
    'SELECT ledger, closed_at AS seconds FROM entry WHERE closed_at IS NOT NULL AND ledger IS NOT NULL ORDER BY closed_at DESC, ledger DESC LIMIT 1',
  );
  const selectOtherNamed = db.prepare(OTHER_NAMED);
  const selectSettled = db.prepare(SETTLED_BY);
  const selectUnlisted = db.prepare(
    "SELECT hash FROM entry WHERE status = 'success' AND listing IS NOT NULL ORDER BY ledger, id",
  );

  return {
    insert: (row: readonly SQLInputValue[]): void => void insert.run(...row),
    /** True if another payment to its recipient has its identifier, and may have paid. */
    isNameTaken: ({ payTo, paymentIdentifier, authorization }: JournalEntry): boolean =>
      paymentIdentifier !== undefined &&
      selectOtherNamed.get(...[payTo, paymentIdentifier, authorization].map(fact)) !== undefined,
    /** Records an outcome. Returns false if there is no such entry. */
    end: (row: readonly SQLInputValue[]): boolean => Number(end.run(...row).changes) > 0,
    dropListing: (hash: string, status: string, atMs: number): void =>
      void dropListing.run(status, atMs, hash),
    find(hash: string): StoredEntry | undefined {
      const row = selectOne.get(hash);
      return row && storedOf(row);
    },
    unended: (nowMs: number): UnendedEntry[] =>
      selectUnended.all().map((row) => entryOf(row, nowMs - Number(row['opened_at']))),
    failuresSince: (ms: number) =>
      selectFailures
        .all(ms)
        .map(({ party, ended_at: endedAtMs }) => ({ party: String(party), endedAtMs: Number(endedAtMs) })),
    latestClose(): LedgerClose | undefined {
      const row = selectLatestClose.get();
      return row && { ledger: Number(row['ledger']), seconds: Number(row['seconds']) };
    },
    /** Returns the hash of the entry that settled the payment, given as its `spentFacts`. */
    settledBy: (row: readonly string[]): string | undefined =>
      selectSettled.get(...row)?.['hash'] as string | undefined,
    /** Returns the hashes of settled payments whose listing is not written, oldest first. */
    unlisted: (): string[] => selectUnlisted.all().map(({ hash }) => String(hash)),
  };
}
