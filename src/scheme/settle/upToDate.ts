import { setTimeout as sleep } from 'node:timers/promises';
import type { NotExecuted } from '../verify/checks/simulation.ts';
import type { SettleLimits } from '../limits.ts';
import type { Payment } from '../payment.ts';
import type { Refusal } from '../refusal.ts';
import { RpcFault } from '../../stellar/rpc/node.ts';
import { examine } from '../verify/verify.ts';
import type { VerifiedPayment, VerifyDeps } from '../verify/verify.ts';

interface UpToDateDeps extends VerifyDeps {
  limits: Pick<SettleLimits, 'maxResends' | 'resendAfterMs' | 'maxReadRepeats'>;
  /** Hears of the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/**
 * Verifies a payment on a ledger no older than the latest that was seen. A node that lags, maybe one of several behind
 * one address, would refuse what has just become possible, and execute once more what has just been spent; on the
 * ledger that fails, and costs its fee. An RPC that fails is asked again: whoever settles has often delivered already.
 * Throws where it goes on failing, lags for too long, or `isOver`.
 */
export async function examineUpToDate(
  deps: UpToDateDeps,
  payment: Payment,
  isOver: () => boolean,
): Promise<VerifiedPayment | Refusal> {
  const { clock, limits, onFault } = deps;
  let seenLedger = clock.latestLedger();
  let faults = 0;
  for (let attempts = 0; attempts <= limits.maxResends && !isOver(); attempts++) {
    if (attempts > 0) await sleep(limits.resendAfterMs);
    try {
      const verified = await examine(deps, payment);
      const ledger = 'code' in verified ? ledgerOf(verified) : verified.simulation.latestLedger;
      if (ledger >= seenLedger) return verified;
      // It may be the network that has started afresh: only close times tell.
      await deps.sightLedgers();
      seenLedger = Math.min(seenLedger, clock.latestLedger());
    } catch (fault) {
      if (!(fault instanceof RpcFault) || ++faults > limits.maxReadRepeats) throw fault;
      onFault(fault);
    }
  }
  throw new RpcFault(`simulateTransaction: no answer as of ledger ${seenLedger} in time`);
}

/** What was not refused for the state of the ledger holds for every one. */
function ledgerOf(refusal: NotExecuted): number {
  return refusal.latestLedger ?? Infinity;
}
