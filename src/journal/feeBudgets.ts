import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  exhaustedIn,
  hasLimit,
  UNLIMITED_BUDGET,
  type BudgetOwner,
  type FeeBudget,
  type JournalEntry,
  type Opened,
} from '../scheme/index.ts';
import { transaction } from '../store/sqliteFile.ts';
import type { AnswerTable } from './answers/sqlite.ts';
import type { FeesToday } from './journal.ts';
import type { EntryTable } from './table.ts';

/** Holds entries to their budgets. Throws if the file cannot be read or written. */
export type FeeBudgets = ReturnType<typeof createFeeBudgets>;

/** Reads the totals, which triggers keep (see file.ts). */
export function createFeeBudgets(
  db: DatabaseSync,
  table: Pick<EntryTable, 'insert' | 'isNameTaken'>,
  answers: Pick<AnswerTable, 'take'>,
) {
  const selectTotal = db.prepare('SELECT stroops FROM fee_total WHERE name = ?');
  const totalOf = (name: string, nowMs: number): number =>
    Number(selectTotal.get(`${name} ${dayOf(nowMs)}`)?.['stroops'] ?? 0);

  function exhausted(budget: FeeBudget, stroops: number, nowMs: number): BudgetOwner | undefined {
    if (!hasLimit(budget)) return undefined;
    const counted = { caller: totalOf(budget.caller, nowMs), service: totalOf('service', nowMs) };
    return exhaustedIn(budget, counted, stroops);
  }

  return {
    exhausted,
    today: (nowMs: number): FeesToday => ({
      all: totalOf('service', nowMs),
      anonymous: totalOf(UNLIMITED_BUDGET.caller, nowMs),
    }),
    /** Inserts an entry if its budget affords the bid, and its key and identifier are free. Nobody else writes meanwhile. */
    insert(entry: JournalEntry, row: readonly SQLInputValue[], nowMs: number): Opened {
      const { budget, bid, key, paymentIdentifier } = entry;
      const insert = (): Opened => {
        if (exhausted(budget, bid.totalStroops, nowMs) !== undefined) return 'budget exhausted';
        if (table.isNameTaken(entry)) return 'identifier taken';
        if (!answers.take(entry, nowMs)) return 'key taken';
        table.insert(row);
        return 'open';
      };
      const asksFirst = hasLimit(budget) || key !== undefined || paymentIdentifier !== undefined;
      return asksFirst ? transaction(db, 'BEGIN IMMEDIATE', insert) : insert();
    },
  };
}

/** Returns the day (UTC) as SQLite writes it: 2026-11-23. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
