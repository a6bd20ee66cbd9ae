import type { LedgerClock } from './ledgerClock.ts';
import type { Rpc } from './rpc/pool.ts';

/** What to offer for a place in the next ledgers. */
export interface InclusionFees {
  /**
   * Stroops for each operation: a percentile of what recent ledgers took, asked for once per ledger however many want
   * to know. Never throws: where the network does not say, the last that it said, or 0.
   */
  current(): Promise<number>;
}

export function createInclusionFees(deps: {
  rpc: Rpc;
  clock: Pick<LedgerClock, 'observe' | 'latestLedger'>;
  /** Of `getFeeStats`: 10, 20 … 90, 95 or 99. */
  percentile: number;
  onFault: (fault: unknown) => void;
}): InclusionFees {
  const { rpc, clock, percentile, onFault } = deps;
  let known = { ledger: -1, stroops: 0 };
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    try {
      const { sorobanInclusionFee, latestLedger } = await rpc.call('getFeeStats');
      clock.observe({ latestLedger });
      const stroops = Number(sorobanInclusionFee[`p${percentile}`]);
      if (!Number.isSafeInteger(stroops) || stroops < 0)
        throw new Error('the fee statistics lack the percentile');
      known = { ledger: latestLedger, stroops };
    } catch (fault) {
      onFault(fault);
    }
  }

  return {
    async current() {
      if (clock.latestLedger() > known.ledger) {
        asking ??= ask().finally(() => (asking = undefined));
        await asking;
      }
      return known.stroops;
    },
  };
}
