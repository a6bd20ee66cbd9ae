import { pagesOf, type RecordFilters, type Records } from '../../journal/index.ts';
import { withoutHidden } from '../../log/log.ts';
import { EXIT_FAILED } from '../../process/exitCodes.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { onNetwork } from '../accounts/network.ts';
import type { Context, Terminal } from '../command.ts';
import { createLookUp } from './audit/lookUp.ts';
import { differenceText, progressText, totalsText } from './audit/report.ts';
import { runAudit, type Totals } from './audit/run.ts';
import { readAuditSettings, type AuditSettings } from './audit/settings.ts';
import { PAGE_RECORDS, withRecords } from './store.ts';

export const AUDIT_LIMITS = {
  /** Settlements that are looked up at a time. */
  maxAtOnce: 8,
  intervalMs: 25,
  maxAttempts: 3,
  retryAfterMs: 1_000,
  /** The audit ends early when so many in a row could not be checked. */
  maxUncheckedInRow: 24,
  reportEveryMs: 5_000,
};

interface Order {
  readonly filters: RecordFilters;
  readonly limit: number | undefined;
  readonly json: boolean;
}

/** Compares the matching records with the ledger. Returns the exit code, or throws a Failure. */
export async function auditPayments(
  order: Order,
  { environment, terminal }: Context,
  limits = AUDIT_LIMITS,
): Promise<number> {
  const settings = readAuditSettings(environment);
  const totals = await withRecords(environment, (records) =>
    onNetwork(settings, ({ rpc }) => audit({ records, rpc, terminal, settings, limits }, order)),
  );
  await terminal.write(totalsText(totals, order.json));
  return totals.differ === 0 && totals.unchecked === 0 ? 0 : EXIT_FAILED;
}

interface Deps {
  readonly records: Records;
  readonly rpc: Rpc;
  readonly terminal: Terminal;
  readonly settings: AuditSettings;
  readonly limits: typeof AUDIT_LIMITS;
}

async function audit(
  { records, rpc, terminal, settings, limits }: Deps,
  { filters, limit, json }: Order,
): Promise<Totals> {
  let reportedAt = performance.now();
  const totals = await runAudit({
    records: pagesOf(records, filters, { perPage: PAGE_RECORDS, limit }),
    lookUp: createLookUp({ rpc, records, limits }),
    onDifference: (record, { differences }) => void terminal.write(differenceText(record, differences, json)),
    onProgress(sofar) {
      if (performance.now() - reportedAt < limits.reportEveryMs) return;
      reportedAt = performance.now();
      terminal.note(progressText(sofar));
    },
    limits,
  });
  return totals.why === undefined ? totals : { ...totals, why: withoutHidden(totals.why, settings.hidden) };
}
