/** Calculates how fast ledgers close, from what was known, an answer, and the moment at which it came. */
import type { LedgerClose, LedgerSighting } from './ledgerClock.ts';
import { DEFAULT_LEDGER_SECONDS } from './limits.ts';
import { RECENT_LEDGERS } from './recentPace.ts';

export interface LedgerPace {
  /** Milliseconds per ledger, for waits. */
  readonly ms: number;
  /** Whole seconds per ledger, for the expiry bound. */
  readonly seconds: number;
  /** The start of the next measurement, and whether one has already covered enough ledgers. */
  readonly anchor: LedgerClose | undefined;
  readonly isMeasured: boolean;
  /** An earlier answer's ledger, which later ones are compared with. */
  readonly pin: { readonly ledger: number; readonly at: number } | undefined;
}

export const USUAL_PACE: LedgerPace = {
  ms: DEFAULT_LEDGER_SECONDS * 1000,
  seconds: DEFAULT_LEDGER_SECONDS,
  anchor: undefined,
  isMeasured: false,
  pin: undefined,
};

/** Returns the pace as of an answer. */
export function paceAfter(earlier: LedgerPace, sighting: LedgerSighting, now: number): LedgerPace {
  return boundPace(measurePace(earlier, sighting), sighting.latestLedger, now);
}

/**
 * Rounds seconds per ledger as the expiry bound counts them. They never exceed 5: stock clients that cannot reach
 * Horizon assume 5, and an estimate above theirs would refuse honest payments.
 */
export function wholeSeconds(seconds: number): number {
  return Math.min(DEFAULT_LEDGER_SECONDS, Math.max(1, Math.round(seconds)));
}

/** Returns undefined if the close time is not known. */
export function closeOf(ledger: number | undefined, closeTime: string | undefined): LedgerClose | undefined {
  const seconds = Number(closeTime);
  return ledger === undefined || !Number.isFinite(seconds) ? undefined : { ledger, seconds };
}

/**
 * Measures the pace at first over all ledgers that the RPC remembers, and later over those seen here, once they are
 * enough.
 */
function measurePace(pace: LedgerPace, sighting: LedgerSighting): LedgerPace {
  const seen = closeOf(sighting.latestLedger, sighting.latestLedgerCloseTime);
  if (seen === undefined) return pace;
  const isFirst = pace.anchor === undefined || seen.ledger < pace.anchor.ledger;
  const anchor = isFirst ? seen : pace.anchor;
  if (seen.ledger - anchor.ledger >= RECENT_LEDGERS)
    return { ...pace, ...paceBetween(anchor, seen), anchor: seen };
  if (pace.isMeasured) return { ...pace, anchor };
  const oldest = closeOf(sighting.oldestLedger, sighting.oldestLedgerCloseTime);
  return { ...pace, ...(oldest && paceBetween(oldest, seen)), anchor };
}

function paceBetween(from: LedgerClose, to: LedgerClose): Partial<LedgerPace> {
  const ledgers = to.ledger - from.ledger;
  const seconds = (to.seconds - from.seconds) / ledgers;
  if (ledgers < 2 || seconds <= 0) return {};
  return { ms: seconds * 1000, seconds: wholeSeconds(seconds), isMeasured: ledgers >= RECENT_LEDGERS };
}

/**
 * Bounds the pace by the ledgers that closed between two answers, give or take those that a node lags behind. So a
 * change of rhythm shows within a few ledgers. A pace slower than usual means that the network stood still.
 */
function boundPace(pace: LedgerPace, ledger: number, now: number): LedgerPace {
  const { pin: earlier } = pace;
  const isUseful =
    earlier !== undefined && ledger >= earlier.ledger && ledger <= earlier.ledger + RECENT_LEDGERS;
  const pin = isUseful ? earlier : { ledger, at: now };
  const [ledgers, passedMs] = [ledger - pin.ledger, now - pin.at];
  const fastestMs = Math.min(passedMs / (ledgers + 1), DEFAULT_LEDGER_SECONDS * 1000);
  const slowestMs = ledgers > 2 ? passedMs / (ledgers - 2) : Infinity;
  return { ...pace, pin, ms: Math.min(slowestMs, Math.max(fastestMs, pace.ms)) };
}
