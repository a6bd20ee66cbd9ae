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
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/**
 * Verifies a payment on a ledger no older than the latest one seen. A node that lags, perhaps one of several behind one
 * address, would refuse a payment that has just become possible, and accept one that has just been spent, which then
 * fails on the ledger and costs its fee. If the RPC fails, it is asked again: a seller that settles has often delivered
 * already. Throws if the RPC keeps failing or lags for too long, or if `isOver`.
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
      // The network itself may have started afresh: only close times tell.
      await deps.sightLedgers();
      seenLedger = Math.min(seenLedger, clock.latestLedger());
    } catch (fault) {
      if (!(fault instanceof RpcFault) || ++faults > limits.maxReadRepeats) throw fault;
      onFault(fault);
    }
  }
  throw new RpcFault(`simulateTransaction: no answer as of ledger ${seenLedger} in time`);
}

/** Returns the ledger of a refusal. A refusal that does not depend on the ledger's state holds for every ledger. */
function ledgerOf(refusal: NotExecuted): number {
  return refusal.latestLedger ?? Infinity;
}
