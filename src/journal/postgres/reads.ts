import { exhaustedIn, hasLimit, UNLIMITED_BUDGET } from '../../scheme/index.ts';
import type { Database, Row } from '../../store/postgres.ts';
import type { AsyncGuard } from '../guard.ts';
import type { DueListing, Journal } from '../journal.ts';
import { spentFacts } from '../rows.ts';
import * as statements from './statements.ts';

type Reads = Pick<Journal, 'exhausted' | 'feesToday' | 'settledBy' | 'unended' | 'failures' | 'latestClose'>;

/** Reads what the scheme wants to know of settlements. */
export function createReads(db: Pick<Database, 'query'>, guarded: AsyncGuard): Reads {
  return {
    exhausted(budget, stroops) {
      if (!hasLimit(budget)) return undefined;
      // If it cannot be read, let `open` decide.
      return guarded('a fee budget was not read', undefined, async () => {
        const [row] = await db.query(statements.FEE_TOTALS, [budget.caller]);
        const counted = { caller: Number(row?.['caller'] ?? 0), service: Number(row?.['service'] ?? 0) };
        return exhaustedIn(budget, counted, stroops);
      });
    },
    feesToday: () =>
      guarded('the fees of today were not read', undefined, async () => {
        const [row] = await db.query(statements.FEE_TOTALS, [UNLIMITED_BUDGET.caller]);
        return { all: Number(row?.['service'] ?? 0), anonymous: Number(row?.['caller'] ?? 0) };
      }),
    settledBy: (payment) =>
      guarded('an earlier settlement was not looked up', undefined, async () => {
        const [row] = await db.query(statements.SETTLED_BY, spentFacts(payment));
        return row && String(row['hash']);
      }),
    // They come with the accounts that sent them.
    unended: () => [],
    failures: (withinMs) =>
      guarded('earlier failures could not be read', [], async () => {
        const rows = await db.query(statements.FAILURES, [withinMs]);
        return rows.map(({ party, ago_ms: agoMs }) => ({ party: String(party), agoMs: Number(agoMs) }));
      }),
    latestClose: () =>
      guarded('the latest ledger could not be read', undefined, async () => {
        const [row] = await db.query(statements.LATEST_CLOSE);
        return row && closeOf(row);
      }),
  };
}

export function closeOf({ ledger, closed_at: seconds }: Row): DueListing['ledgerClose'] {
  return ledger === null || seconds === null
    ? undefined
    : { ledger: Number(ledger), seconds: Number(seconds) };
}
