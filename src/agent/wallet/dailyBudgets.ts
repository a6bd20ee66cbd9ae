import { chmodSync, closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openFile, transaction, unusable, type FileKind } from '../../store/sqliteFile.ts';

/** The budgets of each day (UTC), in base units. What is spent stands in a file that processes share. */
export interface DailyLimits {
  readonly file: string;
  /** For each asset; undefined for no limit. */
  readonly perAsset: bigint | undefined;
  /** For each host, all assets added up; undefined for no limit. */
  readonly perHost: bigint | undefined;
}

/** What is about to be spent, and where. */
export interface Spending {
  readonly asset: string;
  /** Without a port. */
  readonly host: string;
  readonly amount: bigint;
}

/** Counts what is spent in a day. Its methods throw if the file cannot be read or written. */
export interface DailyBudgets {
  /** Returns the budgets that such spending counts for, with what is left of them today. */
  left(spending: Omit<Spending, 'amount'>): readonly Budget[];
  /**
   * Takes the amount out of the budgets of today. Returns how to give it back, which never throws; undefined if it does
   * not fit.
   */
  take(spending: Spending): (() => void) | undefined;
  close(): void;
}

export interface Budget {
  /** The asset or the host. */
  readonly of: string;
  readonly budget: bigint;
  readonly left: bigint;
}

const OWNER_ONLY = 0o600;
/** Days that are kept, of those on which something was spent. A clock that is set forward and back forgets none of them. */
const DAYS_KEPT = 400;
/** Another process holds the file for a few milliseconds only. */
const BUSY_TIMEOUT_MS = 1_000;

const KIND: FileKind = {
  name: 'budget',
  applicationId: 0x73766362,
  migrations: [
    `CREATE TABLE spent (
      day TEXT NOT NULL, name TEXT NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (day, name)
    ) STRICT, WITHOUT ROWID`,
  ],
  tables: ['spent'],
  startedInstead: 'an empty one, by which nothing is spent yet',
};

/** Opens the file, or creates it, for this user only. Throws UnusableFile. */
export function openDailyBudgets(
  { file, perAsset, perHost }: DailyLimits,
  today = (): string => new Date().toISOString().slice(0, 10),
): DailyBudgets {
  const db = openPrivately(file);
  const read = db.prepare('SELECT amount FROM spent WHERE day = ? AND name = ?');
  const write = db.prepare('INSERT OR REPLACE INTO spent (day, name, amount) VALUES (?, ?, ?)');
  const forget = db.prepare(
    'DELETE FROM spent WHERE day <> ? AND day < (SELECT DISTINCT day FROM spent ORDER BY day DESC LIMIT 1 OFFSET ?)',
  );

  const spentOn = (day: string, name: string): bigint => BigInt(String(read.get(day, name)?.['amount'] ?? 0));

  function budgetsOn(day: string, { asset, host }: Omit<Spending, 'amount'>): Budget[] {
    const limits = [
      [asset, perAsset],
      [host, perHost],
    ] as const;
    return limits.flatMap(([of, budget]) =>
      budget === undefined ? [] : [{ of, budget, left: budget - spentOn(day, of) }],
    );
  }

  /** Counts for both, whichever is limited now: the limits may change during the day. */
  function add(day: string, { asset, host, amount }: Spending): void {
    for (const name of [asset, host]) {
      const spent = spentOn(day, name) + amount;
      // What is given back may have been forgotten.
      write.run(day, name, String(spent > 0n ? spent : 0n));
    }
  }

  return {
    left: (spending) => budgetsOn(today(), spending),
    take(spending) {
      const day = today();
      const isTaken = transaction(db, 'BEGIN IMMEDIATE', () => {
        if (budgetsOn(day, spending).some(({ left }) => left < spending.amount)) return false;
        add(day, spending);
        forget.run(day, DAYS_KEPT - 1);
        return true;
      });
      if (!isTaken) return undefined;
      return () => {
        try {
          transaction(db, 'BEGIN IMMEDIATE', () => add(day, { ...spending, amount: -spending.amount }));
        } catch {
          // It stays counted: the budget is then stricter than it need be, until the day ends.
        }
      };
    },
    close: () => db.close(),
  };
}

function openPrivately(file: string): DatabaseSync {
  try {
    // SQLite gives the files beside it the same mode.
    closeSync(openSync(file, 'a', OWNER_ONLY));
    chmodSync(file, OWNER_ONLY);
  } catch (error) {
    throw unusable(KIND, Object.assign(error as Error, { errcode: CANNOT_OPEN }));
  }
  // To SQLite, names such as ":memory:" and "file:…?mode=memory" are no files; a full path always is one.
  const db = openFile(resolve(file), KIND);
  // A budget must survive a power failure, too, and is written seldom.
  db.exec(`PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return db;
}

/** SQLite's code for a file that cannot be opened. */
const CANNOT_OPEN = 14;
