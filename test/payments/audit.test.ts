import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createLookUp } from '../../src/cli/payments/audit/lookUp.ts';
import { runAudit } from '../../src/cli/payments/audit/run.ts';
import type { Found, Verdict } from '../../src/cli/payments/audit/verdict.ts';
import type { SettlementRecord } from '../../src/journal/index.ts';
import { RpcFault } from '../../src/stellar/rpc/fault.ts';

const SENT = new Date('2026-11-23T08:00:00Z');
const recordOf = (nth: number, changes: Partial<SettlementRecord> = {}) =>
  ({ hash: String(nth), status: 'settled', sentAt: SENT, ...changes }) as SettlementRecord;

async function* pagesOf(count: number, size: number, read: { records: number }) {
  for (let from = 0; from < count; from += size) {
    read.records += size;
    yield await Promise.resolve(Array.from({ length: size }, (_, nth) => recordOf(from + nth)));
  }
}

const heard = { onDifference: () => {}, onProgress: () => {} };

describe('an audit', () => {
  test('looks each record up once, and never more at a time than it may', async () => {
    const seen: string[] = [];
    let [now, most] = [0, 0];
    const totals = await runAudit({
      ...heard,
      records: pagesOf(100, 10, { records: 0 }),
      async lookUp({ hash }): Promise<Verdict> {
        most = Math.max(most, (now += 1));
        await sleep(1);
        now -= 1;
        seen.push(hash);
        return { kind: 'agrees' };
      },
      limits: { maxAtOnce: 4, maxUncheckedInRow: 10 },
    });
    expect([...new Set(seen)]).toHaveLength(100);
    expect([seen.length, most]).toEqual([100, 4]);
    expect(totals).toEqual({
      settlements: 100,
      agree: 100,
      differ: 0,
      tooOld: 0,
      unchecked: 0,
      isComplete: true,
    });
  });

  test('ends early when nothing answers any more', async () => {
    const read = { records: 0 };
    const totals = await runAudit({
      ...heard,
      records: pagesOf(1_000, 10, read),
      lookUp: async ({ hash }): Promise<Verdict> =>
        Number(hash) < 20 ? { kind: 'agrees' } : { kind: 'unchecked', why: 'no answer in time' },
      limits: { maxAtOnce: 4, maxUncheckedInRow: 10 },
    });
    expect(totals).toMatchObject({ agree: 20, isComplete: false, why: 'no answer in time' });
    expect(totals.unchecked).toBeLessThan(10 + 4);
    expect(read.records).toBeLessThan(50);
  });
});

describe('a look-up', () => {
  const LIMITS = { maxAttempts: 3, retryAfterMs: 0, intervalMs: 0 };
  const missing: Found = {
    status: 'NOT_FOUND',
    latestLedger: 100,
    latestLedgerCloseTime: String(SENT.getTime() / 1000 + 100),
    oldestLedger: 1,
    oldestLedgerCloseTime: String(SENT.getTime() / 1000 - 100),
  };
  const dead = new RpcFault('getTransaction: no answer in time');

  /** Answers one after the other, and then the last one again. */
  function lookUpWith(answers: (Found | RpcFault)[], reread?: SettlementRecord, limits = LIMITS) {
    let calls = 0;
    const callEach = () => Promise.resolve([answers[Math.min(calls++, answers.length - 1)]!]);
    const lookUp = createLookUp({
      rpc: { callEach: callEach as never },
      records: { withHash: () => Promise.resolve(reread) },
      limits,
    });
    return { lookUp, calls: () => calls };
  }

  test('is repeated after a fault, so often', async () => {
    const recovers = lookUpWith([dead, dead, missing]);
    expect(await recovers.lookUp(recordOf(1, { status: 'expired' }))).toEqual({ kind: 'agrees' });
    const never = lookUpWith([dead]);
    expect(await never.lookUp(recordOf(1))).toMatchObject({ kind: 'unchecked' });
    expect([recovers.calls(), never.calls()]).toEqual([3, 3]);
  });

  test('that finds a difference reads the record again, which may have changed meanwhile', async () => {
    const { lookUp } = lookUpWith([missing], recordOf(1, { status: 'expired' }));
    expect(await lookUp(recordOf(1))).toEqual({ kind: 'agrees' });
    expect(await lookUpWith([missing], recordOf(1)).lookUp(recordOf(1))).toMatchObject({ kind: 'differs' });
  });

  test('asks for nothing that is older than the history it has seen', async () => {
    const { lookUp, calls } = lookUpWith([missing]);
    const older = recordOf(2, { sentAt: new Date(SENT.getTime() - 200_000) });
    expect(await lookUp(recordOf(1, { status: 'expired' }))).toEqual({ kind: 'agrees' });
    expect(await lookUp(older)).toEqual({ kind: 'tooOld' });
    expect(calls()).toBe(1);
  });

  test('waits for its turn', async () => {
    const { lookUp } = lookUpWith([missing], undefined, { ...LIMITS, intervalMs: 20 });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 6 }, (_, nth) => lookUp(recordOf(nth, { status: 'expired' }))));
    // Timers may fire up to a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThan(5 * 20 - 10);
  });
});
