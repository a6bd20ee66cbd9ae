import { setTimeout as sleep } from 'node:timers/promises';
import { RpcFault } from './rpc/fault.ts';
import type { Rpc } from './rpc/pool.ts';
import { wholeSeconds } from './ledgerPace.ts';
import { recentEvent, recentLedgerSeconds } from './recentPace.ts';

/** The ledgers as an RPC answer describes them. Close times are unix seconds, as the RPC writes them. */
export interface LedgerSighting {
  latestLedger: number;
  latestLedgerCloseTime?: string;
  oldestLedger?: number;
  oldestLedgerCloseTime?: string;
}

export interface LedgerClose {
  ledger: number;
  /** Unix time. */
  seconds: number;
}

/** The network's ledgers and rhythm, learned mostly from answers that were asked for anyway. */
export interface LedgerClock {
  /** Returns the latest ledger that was seen, by an earlier process or this one; 0 before the first. */
  latestLedger(): number;
  /** Returns how long ago an answer first showed the latest ledger; undefined before the first answer. */
  lagMs(): number | undefined;
  /** Returns whole seconds per ledger, for the expiry bound. */
  ledgerSeconds(): number;
  /** Returns the network's time in unix seconds, whatever this machine's clock says. */
  networkSeconds(): number;
  /**
   * Returns milliseconds until the ledger after `sequence` should have closed; 0 if nothing was seen yet. While that
   * moment is known badly, a guess halves the doubt at the risk of being early. Without one, the wait is long enough.
   */
  untilLedgerAfterMs(sequence: number, mayGuess: boolean): number;
  /** Returns milliseconds since a ledger closed, as far as that is known; undefined if nothing was seen yet. */
  sinceClosedMs(ledger: number): number | undefined;
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
