import { recentEvent, recentLedgerSeconds } from '../../stellar/recentPace.ts';
import { WALLET_LIMITS } from './limits.ts';
import { RpcUnavailable } from './rpc.ts';
import type { Rpc } from './rpc.ts';

/** How fast ledgers close. */
export interface Pace {
  /** Milliseconds per ledger, as measured; what ledgers usually take where nothing could be measured. */
  ledgerMs(): Promise<number>;
}

/** The pace of the last ledgers, measured when it is asked for and kept for a while. */
export function createPace(rpc: Rpc, now: () => number): Pace {
  let known: { ledgerMs: number; at: number } | undefined;
  return {
    async ledgerMs() {
      if (known !== undefined && now() - known.at < WALLET_LIMITS.paceMemoryMs) return known.ledgerMs;
      const ledgerMs = await measure(rpc);
      if (ledgerMs === undefined) return WALLET_LIMITS.maxLedgerSeconds * 1000;
      known = { ledgerMs, at: now() };
      return ledgerMs;
    },
  };
}

async function measure(rpc: Rpc): Promise<number | undefined> {
  try {
    // No other method tells when the oldest and the latest ledger closed; the hash is of no transaction.
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

/** Over all the ledgers that the RPC remembers: of the last ones nothing is known. */
function averageMs(range: Record<string, unknown>): number | undefined {
  const ledgers = Number(range['latestLedger']) - Number(range['oldestLedger']);
  const seconds = Number(range['latestLedgerCloseTime']) - Number(range['oldestLedgerCloseTime']);
  return ledgers > 1 && seconds > 0 ? (seconds * 1000) / ledgers : undefined;
}

/**
 * Ledgers that an authorization of so many seconds may hold. The facilitator counts ceil(seconds / pace) with its own,
 * more recent measure of the pace, which it takes for 5 s at most: a second of margin never counts more than it does.
 */
export function ledgersIn(seconds: number, ledgerMs: number): number {
  const { minLedgerSeconds, maxLedgerSeconds, maxValiditySeconds } = WALLET_LIMITS;
  const cautious = Math.round(ledgerMs / 1000) + 1;
  const ledgerSeconds = Math.min(maxLedgerSeconds, Math.max(minLedgerSeconds, cautious));
  return Math.ceil(Math.min(seconds, maxValiditySeconds) / ledgerSeconds);
}
