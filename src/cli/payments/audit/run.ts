import type { SettlementRecord } from '../../../journal/index.ts';
import type { Verdict } from './verdict.ts';

export interface Totals {
  settlements: number;
  agree: number;
  differ: number;
  /** Older than the history of every node. */
  tooOld: number;
  /** Nodes did not answer, or not well enough. */
  unchecked: number;
  /** Why the first of them was not checked. */
  why?: string;
  /** False if the audit ended early, since nothing answered any more. */
  isComplete: boolean;
}

export interface AuditDeps {
  /** Newest first. */
  readonly records: AsyncIterable<readonly SettlementRecord[]>;
  lookUp(record: SettlementRecord): Promise<Verdict>;
  /** Hears each record that differs, and then the totals so far after each record. */
  readonly onDifference: (record: SettlementRecord, verdict: Verdict & { kind: 'differs' }) => void;
  readonly onProgress: (totals: Totals) => void;
  readonly limits: { readonly maxAtOnce: number; readonly maxUncheckedInRow: number };
}

/** Looks all records up, some at a time. */
export async function runAudit(deps: AuditDeps): Promise<Totals> {
  const { lookUp, limits } = deps;
  const totals: Totals = { settlements: 0, agree: 0, differ: 0, tooOld: 0, unchecked: 0, isComplete: true };
  let uncheckedInRow = 0;

  function count(record: SettlementRecord, verdict: Verdict): void {
    totals.settlements += 1;
    uncheckedInRow = verdict.kind === 'unchecked' ? uncheckedInRow + 1 : 0;
    if (verdict.kind === 'agrees') totals.agree += 1;
    else if (verdict.kind === 'tooOld') totals.tooOld += 1;
    else if (verdict.kind === 'unchecked') {
      totals.unchecked += 1;
      totals.why ??= verdict.why;
    } else {
      totals.differ += 1;
      deps.onDifference(record, verdict);
    }
    deps.onProgress(totals);
  }

  const queue = oneByOne(deps.records);
  async function work(): Promise<void> {
    for (let next = await queue.next(); next.done !== true; next = await queue.next()) {
      count(next.value, await lookUp(next.value));
      if (uncheckedInRow < limits.maxUncheckedInRow) continue;
      totals.isComplete = false;
      return;
    }
  }
  await Promise.all(Array.from({ length: limits.maxAtOnce }, work));
  return totals;
}

async function* oneByOne(
  pages: AsyncIterable<readonly SettlementRecord[]>,
): AsyncGenerator<SettlementRecord, void, undefined> {
  for await (const page of pages) yield* page;
}
