import { setTimeout as sleep } from 'node:timers/promises';
import { RECENT_LEDGERS, recentEvent, recentLedgerSeconds } from './recentPace.ts';
import { DEFAULT_LEDGER_SECONDS, RPC_LIMITS } from './limits.ts';
import { RpcFault } from './rpc/node.ts';
import type { Rpc } from './rpc/pool.ts';

/** The ledgers as an RPC answer describes them. Close times are unix seconds, as the RPC writes them. */
export interface LedgerSighting {
  latestLedger: number;
  latestLedgerCloseTime?: string;
  oldestLedger?: number;
  oldestLedgerCloseTime?: string;
}

/** The network's rhythm, learned mostly from answers that were asked for anyway. */
export interface LedgerClock {
  /** Takes note of an answer that has just arrived. */
  observe(sighting: LedgerSighting): void;
  /** Returns the latest ledger that was seen, by an earlier process or this one; 0 before the first. */
  latestLedger(): number;
  /** Returns whole seconds per ledger, for the expiry bound. */
  ledgerSeconds(): number;
  /** Returns the network's time in unix seconds, whatever this machine's clock says. */
  networkSeconds(): number;
  /**
   * Returns milliseconds until the ledger after `sequence` should have closed; 0 if nothing was seen yet. While that
   * moment is known badly, a guess halves the doubt at the risk of being early. Without one, the wait is long enough.
   */
  untilLedgerAfterMs(sequence: number, mayGuess: boolean): number;
}

/**
 * Reads which ledgers the RPC knows. No other method tells when the oldest and the latest of them closed. No
 * transaction has this hash.
 */
export function sightLedgers(rpc: Rpc): Promise<LedgerSighting> {
  return rpc.call('getTransaction', { hash: '0'.repeat(64) });
}

/** Returns whole seconds per ledger over the last ledgers; undefined if no event shows it, or no node tells. */
export async function recentPaceSeconds(
  rpc: Rpc,
  { latestLedger, oldestLedger }: LedgerSighting,
): Promise<number | undefined> {
  try {
    const seconds = recentLedgerSeconds(await rpc.call('getEvents', recentEvent(latestLedger, oldestLedger)));
    return seconds === undefined ? undefined : wholeSeconds(seconds);
  } catch (fault) {
    if (fault instanceof RpcFault) return undefined;
    throw fault;
  }
}

/** Waits until another ledger should have closed, but no longer than `maxMs`. */
export async function nextLedger(clock: LedgerClock, maxMs: number): Promise<void> {
  await sleep(Math.min(maxMs, clock.untilLedgerAfterMs(clock.latestLedger(), false)));
}

/**
 * The latest ledger seen is disowned after this many sightings far behind it that advance by this many ledgers. A node
 * that lags for good, or stands still, shows less.
 */
const MIN_DISSENTS = 10;
const MIN_PROGRESS_LEDGERS = 2;
/** A moment that is known this well needs no guess. */
const SHARP_ENOUGH_MS = 60;
/** A closed ledger shows in the RPC's answers a little later. */
const INGESTION_MS = 20;

export interface LedgerClose {
  ledger: number;
  /** Unix time. */
  seconds: number;
}

function closeOf(ledger: number | undefined, closeTime: string | undefined): LedgerClose | undefined {
  const seconds = Number(closeTime);
  return ledger === undefined || !Number.isFinite(seconds) ? undefined : { ledger, seconds };
}

/** Rounds seconds per ledger as the expiry bound counts them. */
function wholeSeconds(seconds: number): number {
  return Math.min(DEFAULT_LEDGER_SECONDS, Math.max(1, Math.round(seconds)));
}

/**
 * Every answer bounds the moments at which ledgers close: its latest ledger has closed by now, and the next one has
 * not. Both bounds move on with the pace, so a few answers are enough to know the rhythm. If the bounds contradict each
 * other, the network is late or has changed its rhythm, and they start afresh.
 *
 * The pace for the expiry bound never exceeds 5 s: stock clients that cannot reach Horizon assume 5, and an estimate
 * above theirs would refuse honest payments.
 *
 * `remembered` is a ledger that an earlier process has seen. A node that has not reached it lags, unless ledgers with
 * lower numbers close later: then the network has started afresh.
 */
export function createLedgerClock(now: () => number, remembered?: LedgerClose): LedgerClock {
  let earlier = remembered;
  let paceMs = DEFAULT_LEDGER_SECONDS * 1000;
  let ledgerSeconds = DEFAULT_LEDGER_SECONDS;
  let networkAheadMs = 0;
  /** The latest ledger whose close time is known. */
  let timed = { ledger: -Infinity, closeTimeMs: 0 };
  /** The start of the next measurement of the pace, and whether one has already covered enough ledgers. */
  let anchor: LedgerClose | undefined;
  let isMeasured = false;
  /** An earlier sighting, which later ones are compared with. */
  let pin: { sequence: number; at: number } | undefined;
  /** The latest ledger seen, and the moments (on this machine's clock) between which it closed. */
  let latest: { sequence: number; notBefore: number; notAfter: number } | undefined;
  /** The number of sightings in a row that are far behind it, and the ledger of the first. */
  let behind: { count: number; first: number } | undefined;

  /** True if a lower ledger closed later: then the network has started afresh. A node that lags tells nothing new. */
  function isAfresh({ latestLedger, latestLedgerCloseTime }: LedgerSighting): boolean {
    return latestLedger <= timed.ledger && Number(latestLedgerCloseTime) * 1000 > timed.closeTimeMs;
  }

  /** True if the latest ledger seen was wrong: many sightings in a row are far behind it, and go on from there. */
  function isDisowned(sequence: number): boolean {
    if (latest === undefined || sequence >= latest.sequence - RPC_LIMITS.maxLagLedgers) {
      behind = undefined;
      return false;
    }
    behind ??= { count: 0, first: sequence };
    behind.count += 1;
    return behind.count >= MIN_DISSENTS && sequence >= behind.first + MIN_PROGRESS_LEDGERS;
  }

  /** Forgets all that was seen. */
  function startAfresh(): void {
    timed = { ledger: -Infinity, closeTimeMs: 0 };
    [earlier, anchor, pin, latest, behind] = [undefined, undefined, undefined, undefined, undefined];
  }

  function outgrow({ latestLedger, latestLedgerCloseTime }: LedgerSighting): void {
    if (earlier === undefined) return;
    if (latestLedger >= earlier.ledger || Number(latestLedgerCloseTime) > earlier.seconds)
      earlier = undefined;
  }

  /** Learns the time from a close time, but only if the ledger is new. A later ledger corrects an earlier error. */
  function tellTime({ latestLedger, latestLedgerCloseTime }: LedgerSighting): void {
    const closeTimeMs = Number(latestLedgerCloseTime) * 1000;
    const isNew = latestLedger > timed.ledger || closeTimeMs > timed.closeTimeMs;
    if (Number.isNaN(closeTimeMs) || !isNew) return;
    // Among several ledgers within a second, the first is nearest to the start of that second.
    if (closeTimeMs !== timed.closeTimeMs) networkAheadMs = closeTimeMs - now();
    timed = { ledger: latestLedger, closeTimeMs };
  }

  /** Measures the pace over all that the RPC remembers at first, then over what was seen here once it spans enough. */
  function measurePace(sighting: LedgerSighting): void {
    const seen = closeOf(sighting.latestLedger, sighting.latestLedgerCloseTime);
    if (seen === undefined) return;
    if (anchor === undefined || seen.ledger < anchor.ledger) anchor = seen;
    if (seen.ledger - anchor.ledger >= RECENT_LEDGERS) {
      setPace(anchor, seen);
      anchor = seen;
    } else if (!isMeasured) {
      const oldest = closeOf(sighting.oldestLedger, sighting.oldestLedgerCloseTime);
      if (oldest !== undefined) setPace(oldest, seen);
    }
  }

  function setPace(from: LedgerClose, to: LedgerClose): void {
    const ledgers = to.ledger - from.ledger;
    const seconds = to.seconds - from.seconds;
    if (ledgers < 2 || seconds <= 0) return;
    isMeasured = ledgers >= RECENT_LEDGERS;
    paceMs = (seconds / ledgers) * 1000;
    ledgerSeconds = wholeSeconds(seconds / ledgers);
  }

  /**
   * Bounds the pace by the ledgers that closed between two sightings, give or take those that a node lags behind. So a
   * change of rhythm shows within a few ledgers. A pace slower than the usual means that the network stood still.
   */
  function boundPace(sequence: number): void {
    if (pin === undefined || sequence < pin.sequence || sequence > pin.sequence + RECENT_LEDGERS)
      pin = { sequence, at: now() };
    const [ledgers, passedMs] = [sequence - pin.sequence, now() - pin.at];
    const fastestMs = Math.min(passedMs / (ledgers + 1), DEFAULT_LEDGER_SECONDS * 1000);
    const slowestMs = ledgers > 2 ? passedMs / (ledgers - 2) : Infinity;
    paceMs = Math.min(slowestMs, Math.max(fastestMs, paceMs));
  }

  function boundClose(sequence: number, isOfAnother: boolean): void {
    const seen = { sequence, notBefore: now() - paceMs, notAfter: now() };
    if (latest === undefined || isOfAnother) latest = seen;
    if (sequence < latest.sequence) return;
    const passedMs = (sequence - latest.sequence) * paceMs;
    const notBefore = Math.max(latest.notBefore + passedMs, seen.notBefore);
    const notAfter = Math.min(latest.notAfter + passedMs, seen.notAfter);
    // The bounds contradict each other: the next ledger is overdue and closes any moment, or the rhythm has changed.
    const overdue = sequence === latest.sequence;
    const restart = overdue ? { ...seen, notAfter: seen.notBefore + SHARP_ENOUGH_MS } : seen;
    latest = notBefore <= notAfter ? { sequence, notBefore, notAfter } : restart;
  }

  return {
    observe(sighting) {
      if (isDisowned(sighting.latestLedger)) startAfresh();
      const isOfAnother = isAfresh(sighting);
      outgrow(sighting);
      tellTime(sighting);
      measurePace(sighting);
      boundPace(sighting.latestLedger);
      boundClose(sighting.latestLedger, isOfAnother);
    },
    latestLedger: () => Math.max(earlier?.ledger ?? 0, latest?.sequence ?? 0),
    ledgerSeconds: () => ledgerSeconds,
    networkSeconds: () => Math.floor((now() + networkAheadMs) / 1000),
    untilLedgerAfterMs(sequence, mayGuess) {
      if (latest === undefined) return 0;
      const { notBefore, notAfter } = latest;
      const isSharp = notAfter - notBefore <= SHARP_ENOUGH_MS;
      const closed = mayGuess && !isSharp ? (notBefore + notAfter) / 2 : notAfter;
      return Math.max(0, closed + (sequence + 1 - latest.sequence) * paceMs - now()) + INGESTION_MS;
    },
  };
}
