/**
 * Measures how fast the last ledgers closed. The pace may change within minutes, and only an event tells when a recent
 * ledger closed.
 */

/** Stock clients measure the pace over as many. Close times are whole seconds, so fewer would be too coarse. */
export const RECENT_LEDGERS = 20;

/** Returns parameters of `getEvents` that ask for one event from some twenty ledgers ago, within what the node has. */
export function recentEvent(latestLedger: number, oldestLedger = 1): object {
  const startLedger = Math.max(1, oldestLedger, latestLedger - RECENT_LEDGERS);
  return { startLedger, filters: [], pagination: { limit: 1 } };
}

interface Events {
  readonly events?: unknown;
  readonly latestLedger?: unknown;
  readonly latestLedgerCloseTime?: unknown;
}

/** Returns seconds per ledger between that event and now; undefined if nothing happened at that time. */
export function recentLedgerSeconds({
  events,
  latestLedger,
  latestLedgerCloseTime,
}: Events): number | undefined {
  const [event] = (Array.isArray(events) ? events : []) as ({
    ledger?: unknown;
    ledgerClosedAt?: unknown;
  } | null)[];
  const ledgers = Number(latestLedger) - Number(event?.ledger);
  const seconds = Number(latestLedgerCloseTime) - Date.parse(String(event?.ledgerClosedAt)) / 1000;
  return ledgers >= RECENT_LEDGERS / 2 && seconds >= 0 ? seconds / ledgers : undefined;
}
