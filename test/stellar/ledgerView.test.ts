import { describe, expect, test } from 'vitest';
import type { LedgerClose, LedgerSighting } from '../../src/stellar/ledgerClock.ts';
import { createLedgerView } from '../../src/stellar/ledgerView.ts';
import { RPC_LIMITS } from '../../src/stellar/limits.ts';
import { silent } from '../support/service.ts';

const START_MS = Date.UTC(2026, 6, 1);

/** A view through one node. `observe` takes an answer and says what is wrong with it. */
function openView(now: () => number, remembered?: LedgerClose) {
  const clock = createLedgerView({ log: silent, now, limits: RPC_LIMITS, remembered });
  const node = clock.addNode('a node');
  function observe(sighting: LedgerSighting): string | undefined {
    try {
      node.hear('getTransaction', sighting);
    } catch (fault) {
      return (fault as Error).message;
    }
  }
  return { clock, observe };
}

/** A clock on a network whose ledgers close every `paceMs`; time passes only when told. */
function openClock(paceMs: number, networkAheadSeconds = 0) {
  let nowMs = START_MS;
  const { clock, observe } = openView(() => nowMs);
  const closeTime = (ledger: number) =>
    String(Math.floor((START_MS + ledger * paceMs) / 1000) + networkAheadSeconds);
  return {
    clock,
    observe,
    /** An answer now, by an RPC that keeps so many ledgers. */
    answer(kept: number) {
      const latestLedger = Math.floor((nowMs - START_MS) / paceMs);
      const oldestLedger = Math.max(0, latestLedger - kept);
      observe({
        latestLedger,
        latestLedgerCloseTime: closeTime(latestLedger),
        oldestLedger,
        oldestLedgerCloseTime: closeTime(oldestLedger),
      });
      return latestLedger;
    },
    pass: (ms: number) => void (nowMs += ms),
  };
}

describe('the pace for the expiry bound', () => {
  test('is the 5 seconds that stock clients assume, until it is known', () => {
    const { clock, observe } = openClock(5_000);
    expect(clock.ledgerSeconds()).toBe(5);
    observe({ latestLedger: 1_000 });
    expect(clock.ledgerSeconds()).toBe(5);
  });

  test.each([
    [5_000, 5],
    [5_900, 5],
    [12_000, 5],
    [4_400, 4],
    [2_000, 2],
    [500, 1],
    [100, 1],
  ])('at ledgers of %i ms it is %i s: never above 5, never below 1', (paceMs, seconds) => {
    const { clock, answer, pass } = openClock(paceMs);
    pass(paceMs * 2_000);
    answer(1_000);
    expect(clock.ledgerSeconds()).toBe(seconds);
  });
});

test('the latest ledger lags from the moment at which it was first seen', () => {
  const { clock, answer, pass } = openClock(5_000);
  expect(clock.lagMs()).toBeUndefined();
  pass(50_000);
  answer(10);
  pass(4_000);
  answer(10);
  expect(clock.lagMs()).toBe(4_000);
  pass(1_500);
  answer(10);
  expect(clock.lagMs()).toBe(0);
});

test('how long ago a ledger closed is known as well as the rhythm is', () => {
  const { clock, answer, pass } = openClock(5_000);
  expect(clock.sinceClosedMs(1)).toBeUndefined();
  pass(500_000);
  for (let looks = 0; looks < 100; looks += 1) {
    answer(50);
    pass(130);
  }
  // 513 s have passed, and ledger 102 closed at 510 s.
  for (const [ledger, agoMs] of [
    [102, 3_000],
    [101, 8_000],
  ] as const)
    expect(Math.abs(clock.sinceClosedMs(ledger)! - agoMs)).toBeLessThan(200);
  expect(clock.sinceClosedMs(103)).toBe(0);
});

test('the time of the network is that of its ledgers, whatever this machine believes', () => {
  const { clock, answer, pass } = openClock(5_000, 3_600);
  pass(60_000);
  answer(10);
  expect(clock.networkSeconds()).toBe(Math.floor((START_MS + 60_000) / 1000) + 3_600);
  pass(10_000);
  expect(clock.networkSeconds()).toBe(Math.floor((START_MS + 70_000) / 1000) + 3_600);
});

test('the time of the network is learned from newer close times only: a ledger seen again is the past', () => {
  const { clock, observe, answer, pass } = openClock(5_000, 3_600);
  pass(60_000);
  answer(10);
  const networkSeconds = () => clock.networkSeconds() - START_MS / 1000;
  const atOnce = networkSeconds();
  const closeTime = String(START_MS / 1000 + 3_660);
  pass(120_000);
  observe({ latestLedger: 12, latestLedgerCloseTime: closeTime });
  expect(networkSeconds()).toBe(atOnce + 120);
  observe({ latestLedger: 2, latestLedgerCloseTime: String(START_MS / 1000) });
  observe({ latestLedger: 13 });
  expect(networkSeconds()).toBe(atOnce + 120);
  observe({ latestLedger: 13, latestLedgerCloseTime: String(Number(closeTime) + 600) });
  expect(networkSeconds()).toBe(atOnce + 600);
});

test('a close time that was wrong is put right by the next ledger', () => {
  const { clock, observe, answer, pass } = openClock(5_000);
  pass(60_000);
  const ledger = answer(10);
  const future = String(START_MS / 1000 + 1_000_000);
  observe({ latestLedger: ledger + 1, latestLedgerCloseTime: future });
  pass(10_000);
  answer(10);
  expect(clock.networkSeconds()).toBe(START_MS / 1000 + 70);
});

test('the wait for the next ledger is long enough, and no longer than a ledger and a moment', () => {
  const paceMs = 5_000;
  const { clock, answer, pass } = openClock(paceMs);
  pass(paceMs * 100 + 1_234);
  for (let look = 0; look < 20; look++) {
    const latest = answer(50);
    const waitMs = clock.untilLedgerAfterMs(latest, false);
    expect(waitMs).toBeLessThanOrEqual(paceMs + 1_000);
    pass(waitMs);
    expect(answer(50)).toBeGreaterThan(latest);
    pass(look * 137);
  }
});

describe('a ledger that an earlier process has seen', () => {
  const remembered = { ledger: 1_000, seconds: 50_000 };
  const open = () => openView(() => START_MS, remembered);

  test('is the latest one, until a later one is seen', () => {
    const { clock, observe } = open();
    observe({ latestLedger: 999, latestLedgerCloseTime: '49995' });
    expect(clock.latestLedger()).toBe(1_000);
    observe({ latestLedger: 1_001 });
    expect(clock.latestLedger()).toBe(1_001);
  });

  test('counts no more once one with a lower number closed later', () => {
    const { clock, observe } = open();
    observe({ latestLedger: 7 });
    expect(clock.latestLedger()).toBe(1_000);
    observe({ latestLedger: 7, latestLedgerCloseTime: '50001' });
    expect(clock.latestLedger()).toBe(7);
  });
});

describe('a ledger of the future, which one node alone has told', () => {
  const FUTURE = { latestLedger: 1_900, latestLedgerCloseTime: '90000' };
  const truth = (ledger: number) => ({
    latestLedger: ledger,
    latestLedgerCloseTime: String(50_000 + 5 * ledger),
  });

  test('is disowned when many answers are far behind it, and go on from there', () => {
    const { clock, observe } = openView(() => START_MS);
    observe(truth(1_000));
    // A node that insists is believed.
    expect([observe(FUTURE), observe(FUTURE)]).toEqual([expect.stringContaining('ahead'), undefined]);
    const doubted = RPC_LIMITS.maxDissents + RPC_LIMITS.minDisowningDissents;
    for (let sightings = 1; sightings < doubted; sightings++) observe(truth(1_001));
    expect(clock.latestLedger()).toBe(1_900);
    observe(truth(1_003));
    expect(clock.latestLedger()).toBe(1_003);
  });

  test('wins no trust back by one more such answer while it is in doubt', () => {
    const { clock, observe } = openView(() => START_MS);
    const refused: number[] = [];
    for (let nth = 0; nth < 70; nth++) {
      const isWrong = nth % 7 === 0;
      const complaint = observe(isWrong ? { latestLedger: 60_000_000 } : truth(1_000 + Math.floor(nth / 7)));
      if (!isWrong && complaint !== undefined) refused.push(nth);
    }
    expect(refused).toEqual([1, 2, 3]);
    expect(clock.latestLedger()).toBe(1_009);
  });

  test('is not disowned by a node that stands still, nor where others are as far', () => {
    const { clock, observe } = openView(() => START_MS);
    observe(truth(1_900));
    for (let sightings = 0; sightings < 50; sightings++) observe({ latestLedger: 1_000 });
    for (let sightings = 0; sightings < 50; sightings++) {
      observe({ latestLedger: 1_000 + sightings });
      // One of them alone is no proof.
      if (sightings % 5 === 0) [1, 2].forEach(() => void observe(truth(1_900)));
    }
    expect(clock.latestLedger()).toBe(1_900);
  });
});
