/** Calculates the network's time and when the next ledger closes, from what was known, an answer, and when it came. */
import type { LedgerClose, LedgerSighting } from './ledgerClock.ts';
import { closeOf, paceAfter, USUAL_PACE, type LedgerPace } from './ledgerPace.ts';

export interface LedgerTimes {
  readonly pace: LedgerPace;
  /** Milliseconds by which the network's time is ahead of this machine's. */
  readonly aheadMs: number;
  /** The latest ledger whose close time is known. */
  readonly timed: LedgerClose | undefined;
  /** The latest ledger, and the moments (on this machine's clock) between which it closed. */
  readonly close: CloseBounds | undefined;
}

interface CloseBounds {
  readonly ledger: number;
  readonly notBefore: number;
  readonly notAfter: number;
}

export const UNKNOWN_TIMES: LedgerTimes = {
  pace: USUAL_PACE,
  aheadMs: 0,
  timed: undefined,
  close: undefined,
};

/** A moment that is known this well needs no guess. */
const SHARP_ENOUGH_MS = 60;
/** A closed ledger shows in the RPC's answers a little later. */
const INGESTION_MS = 20;

/** Forgets which ledgers were seen. The pace and the time stay until an answer tells them anew. */
export function withoutLedgers({ pace, aheadMs }: LedgerTimes): LedgerTimes {
  return { ...UNKNOWN_TIMES, pace: { ...pace, anchor: undefined, pin: undefined }, aheadMs };
}

/** True if a lower ledger closed later: then the network has started afresh. A node that lags tells nothing new. */
export function isAfresh({ timed }: LedgerTimes, sighting: LedgerSighting): boolean {
  const { latestLedger, latestLedgerCloseTime } = sighting;
  return timed !== undefined && latestLedger <= timed.ledger && Number(latestLedgerCloseTime) > timed.seconds;
}

/** Returns the times as of an answer. */
export function timesAfter(earlier: LedgerTimes, sighting: LedgerSighting, now: number): LedgerTimes {
  const { latestLedger, latestLedgerCloseTime } = sighting;
  const pace = paceAfter(earlier.pace, sighting, now);
  const before = isAfresh(earlier, sighting) ? undefined : earlier.close;
  return {
    ...tellTime(earlier, closeOf(latestLedger, latestLedgerCloseTime), now),
    pace,
    close: boundClose(before, latestLedger, pace.ms, now),
  };
}

/** Returns milliseconds until the ledger after `sequence` should have closed; see LedgerClock. */
export function untilClosedMs(
  { close, pace }: LedgerTimes,
  sequence: number,
  mayGuess: boolean,
  now: number,
): number {
  if (close === undefined) return 0;
  const { ledger, notBefore, notAfter } = close;
  const isSharp = notAfter - notBefore <= SHARP_ENOUGH_MS;
  const closed = mayGuess && !isSharp ? (notBefore + notAfter) / 2 : notAfter;
  return Math.max(0, closed + (sequence + 1 - ledger) * pace.ms - now) + INGESTION_MS;
}

/** Returns milliseconds since a ledger closed, as far as that is known; undefined before the first sighting. */
export function sinceClosedMs({ close, pace }: LedgerTimes, ledger: number, now: number): number | undefined {
  if (close === undefined) return undefined;
  const closed = (close.notBefore + close.notAfter) / 2 + (ledger - close.ledger) * pace.ms;
  return Math.max(0, now - closed);
}

/** Learns the time from a close time, but only if the ledger is new. A later ledger corrects an earlier error. */
function tellTime(times: LedgerTimes, seen: LedgerClose | undefined, now: number): LedgerTimes {
  const { timed } = times;
  if (seen === undefined) return times;
  if (timed !== undefined && seen.ledger <= timed.ledger && seen.seconds <= timed.seconds) return times;
  // Among several ledgers within a second, the first is nearest to the start of that second.
  const isSameSecond = seen.seconds === timed?.seconds;
  return { ...times, timed: seen, aheadMs: isSameSecond ? times.aheadMs : seen.seconds * 1000 - now };
}

/**
 * Bounds the moment at which the latest ledger closed: it has closed by now, and the next one has not. Both bounds move
 * on with the pace, so a few answers are enough to know the rhythm. If the bounds contradict each other, the network is
 * late or has changed its rhythm, and they start afresh.
 */
function boundClose(
  before: CloseBounds | undefined,
  ledger: number,
  paceMs: number,
  now: number,
): CloseBounds {
  const seen = { ledger, notBefore: now - paceMs, notAfter: now };
  if (before === undefined) return seen;
  if (ledger < before.ledger) return before;
  const passedMs = (ledger - before.ledger) * paceMs;
  const notBefore = Math.max(before.notBefore + passedMs, seen.notBefore);
  const notAfter = Math.min(before.notAfter + passedMs, seen.notAfter);
  if (notBefore <= notAfter) return { ledger, notBefore, notAfter };
  // The next ledger is overdue and closes any moment, or the rhythm has changed.
  return ledger === before.ledger ? { ...seen, notAfter: seen.notBefore + SHARP_ENOUGH_MS } : seen;
}
