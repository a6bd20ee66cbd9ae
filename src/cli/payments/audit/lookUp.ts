import { setTimeout as sleep } from 'node:timers/promises';
import type { Records, SettlementRecord } from '../../../journal/index.ts';
import { RpcFault } from '../../../stellar/rpc/fault.ts';
import type { Rpc } from '../../../stellar/rpc/pool.ts';
import { judge, type Found, type Verdict } from './verdict.ts';

export interface LookUpDeps {
  readonly rpc: Pick<Rpc, 'callEach'>;
  readonly records: Pick<Records, 'withHash'>;
  readonly limits: LookUpLimits;
}

export interface LookUpLimits {
  /** Questions about one settlement, and the pause between two. */
  readonly maxAttempts: number;
  readonly retryAfterMs: number;
  /** Questions are at least so far apart, since providers count them. */
  readonly intervalMs: number;
}

/** Returns what looks records up on the ledger. */
export function createLookUp({ rpc, records, limits }: LookUpDeps) {
  /** The time from which all nodes have history, in unix milliseconds. It only ever moves on. */
  let historyFromMs = -Infinity;
  let nextAt = -Infinity;

  async function ask({ hash }: SettlementRecord): Promise<(Found | RpcFault)[]> {
    const now = performance.now();
    nextAt = Math.max(now, nextAt + limits.intervalMs);
    if (nextAt > now) await sleep(nextAt - now);
    const answers = await rpc.callEach('getTransaction', { hash });
    const starts = answers.map((answer) =>
      answer instanceof RpcFault ? -Infinity : Number(answer.oldestLedgerCloseTime) * 1000,
    );
    historyFromMs = Math.max(historyFromMs, Math.min(...starts));
    return answers;
  }

  return async function lookUp(record: SettlementRecord): Promise<Verdict> {
    // A record with a wrong close time is still found by the time at which it was sent.
    const newest = Math.max(record.sentAt.getTime(), record.closedAt?.getTime() ?? 0);
    if (newest < historyFromMs) return { kind: 'tooOld' };
    for (let attempt = 1; ; attempt += 1) {
      const answers = await ask(record);
      const verdict = judge(record, answers);
      if (verdict.kind === 'unchecked' && attempt < limits.maxAttempts) {
        await sleep(limits.retryAfterMs);
        continue;
      }
      if (verdict.kind !== 'differs') return verdict;
      // The service may have learned the outcome since the page was read.
      const reread = await records.withHash(record.hash);
      return reread === undefined ? verdict : judge(reread, answers);
    }
  };
}
