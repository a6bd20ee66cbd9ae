import type { SchemeLog } from '../../stellar/log.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SettleLimits } from '../limits.ts';
import { isNoAnswer } from '../../stellar/rpc/fault.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import { within } from '../within.ts';

/** Tells what to bid for inclusion in the next ledgers. */
export interface InclusionFees {
  /**
   * Returns stroops for each operation: a percentile of what recent ledgers took. Asks the network once per ledger,
   * however many callers there are. Never throws: if the network does not answer soon, returns its last answer, or 0.
   */
  current(): Promise<number>;
}

export function createInclusionFees(deps: {
  rpc: Rpc;
  clock: Pick<LedgerClock, 'latestLedger'>;
  /** A percentile that `getFeeStats` reports: 10, 20 … 90, 95 or 99. */
  percentile: number;
  limits: Pick<SettleLimits, 'maxFeeWaitMs'>;
  log: Pick<SchemeLog, 'warn'>;
}): InclusionFees {
  const { rpc, clock, percentile, limits, log } = deps;
  let known = { ledger: -1, stroops: 0 };
  let asking: Promise<number> | undefined;
  /** True while the present question has kept somebody waiting too long: nobody else waits for it. */
  let isLate = false;

  /** Returns what is known then. */
  async function ask(): Promise<number> {
    try {
      const { sorobanInclusionFee, latestLedger } = await rpc.call('getFeeStats');
      const stroops = Number(sorobanInclusionFee[`p${percentile}`]);
      if (!Number.isSafeInteger(stroops) || stroops < 0)
        throw new Error('getFeeStats: the answer lacks the percentile');
      known = { ledger: latestLedger, stroops };
    } catch (fault) {
      // A start tells by itself that a node does not answer.
      if (known.ledger >= 0 || !isNoAnswer(fault))
        log.warn({ err: fault }, 'recent inclusion fees are not known');
    }
    return known.stroops;
  }

  return {
    async current() {
      if (clock.latestLedger() !== known.ledger) {
        asking ??= ask().finally(() => {
          asking = undefined;
          isLate = false;
        });
        if (!isLate) isLate = (await within(asking, limits.maxFeeWaitMs)) === undefined;
      }
      return known.stroops;
    },
  };
}
