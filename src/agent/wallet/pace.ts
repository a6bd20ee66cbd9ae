import { recentEvent, recentLedgerSeconds } from '../../stellar/recentPace.ts';
import type { WalletLimits } from './limits.ts';
import { RpcUnavailable, type Rpc } from './rpc.ts';

/** Tells how fast ledgers close. */
export interface Pace {
  /** Returns the milliseconds per ledger, as measured, or the usual time if nothing could be measured. */
  ledgerMs(): Promise<number>;
}

export interface PaceDeps {
  rpc: Rpc;
  /** Returns milliseconds that never decrease. */
  now: () => number;
  limits: WalletLimits;
}

/** Measures the pace of the last ledgers when asked, and keeps the result for a while. */
export function createPace({ rpc, now, limits }: PaceDeps): Pace {
  let known: { ledgerMs: number; at: number } | undefined;
  return {
    async ledgerMs() {
      if (known !== undefined && now() - known.at < limits.paceMemoryMs) return known.ledgerMs;
      const ledgerMs = await measure(rpc);
      if (ledgerMs === undefined) return limits.maxLedgerSeconds * 1000;
      known = { ledgerMs, at: now() };
      return ledgerMs;
    },
  };
}

async function measure(rpc: Rpc): Promise<number | undefined> {
  try {
    // No other method tells when the oldest and the latest ledger closed. The hash belongs to no transaction.
    const range = await rpc.call('getTransaction', { hash: '0'.repeat(64) });
    const recent = recentLedgerSeconds(
      await rpc.call('getEvents', recentEvent(Number(range['latestLedger']), Number(range['oldestLedger']))),
    );
    return recent === undefined ? averageMs(range) : recent * 1000;
  } catch (error) {
    if (error instanceof RpcUnavailable) return undefined;
    throw error;
  }
}

/** Returns the average of all ledgers that the RPC remembers, for when nothing is known about the last ones. */
function averageMs(range: Record<string, unknown>): number | undefined {
  const ledgers = Number(range['latestLedger']) - Number(range['oldestLedger']);
  const seconds = Number(range['latestLedgerCloseTime']) - Number(range['oldestLedgerCloseTime']);
  return ledgers > 1 && seconds > 0 ? (seconds * 1000) / ledgers : undefined;
}

/**
 * Returns how many ledgers an authorization of this many seconds may be valid for. The facilitator counts
 * ceil(seconds / pace), with its own, more recent pace of at most 5 s. A margin of one second keeps this count from
 * exceeding that one.
 */
export function ledgersIn(
  { minLedgerSeconds, maxLedgerSeconds, maxValiditySeconds }: WalletLimits,
  seconds: number,
  ledgerMs: number,
): number {
  const cautious = Math.round(ledgerMs / 1000) + 1;
  const ledgerSeconds = Math.min(maxLedgerSeconds, Math.max(minLedgerSeconds, cautious));
  return Math.ceil(Math.min(seconds, maxValiditySeconds) / ledgerSeconds);
}
