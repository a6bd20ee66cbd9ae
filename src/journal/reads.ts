import type { BudgetOwner, Failed, FeeBudget, SpentPayment, UnendedEntry } from '../scheme/index.ts';
import type { LedgerClose } from '../stellar/ledgerClock.ts';
import type { FeeBudgets } from './feeBudgets.ts';
import type { FeesToday } from './journal.ts';
import type { Guard } from './guard.ts';
import { spentFacts } from './rows.ts';
import type { EntryTable } from './table.ts';

export interface ReadsDeps {
  table: EntryTable;
  budgets: FeeBudgets;
  guarded: Guard;
  /** Returns unix milliseconds. */
  now: () => number;
}

/** Reads what the scheme wants to know of settlements. */
export function createReads({ table, budgets, guarded, now }: ReadsDeps) {
  return {
    exhausted: (budget: FeeBudget, stroops: number): BudgetOwner | undefined =>
      // If it cannot be read, let `open` decide.
      guarded('a fee budget was not read', undefined, () => budgets.exhausted(budget, stroops, now())),
    feesToday: (): FeesToday | undefined =>
      guarded('the fees of today were not read', undefined, () => budgets.today(now())),
    settledBy: (payment: SpentPayment): string | undefined =>
      guarded('an earlier settlement was not looked up', undefined, () =>
        table.settledBy(spentFacts(payment)),
      ),
    unended: (): UnendedEntry[] =>
      guarded('open settlements could not be read', [], () => table.unended(now())),
    failures: (withinMs: number): Failed[] =>
      guarded('earlier failures could not be read', [], () => {
        const nowMs = now();
        return table.failuresSince(nowMs - withinMs).map(({ party, endedAtMs }) => ({
          party,
          agoMs: Math.max(0, nowMs - endedAtMs),
        }));
      }),
    /** Returns the latest ledger that is known to hold a journaled transaction. */
    latestClose: (): LedgerClose | undefined =>
      guarded('the latest ledger could not be read', undefined, () => table.latestClose()),
  };
}
