import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleLimits } from './limits.ts';
import type { Payment } from './payment.ts';
import type { Refusal } from './refusal.ts';
import { sightLedgers } from './ledgerClock.ts';
import { RpcFault } from './rpc/node.ts';
import { examine } from './verify.ts';
import type { VerifiedPayment, VerifyDeps } from './verify.ts';

interface UpToDateDeps extends VerifyDeps {
  limits: Pick<SettleLimits, 'maxResends' | 'resendAfterMs'>;
}

/**
 * Verifies a payment on a ledger no older than the latest that was seen. A node that lags, maybe one of several behind
 * one address, would execute once more what has just been spent; on the ledger that fails, and costs its fee. Throws
 * where the RPC fails, or lags for too long.
 */
export async function examineUpToDate(
  deps: UpToDateDeps,
  payment: Payment,
): Promise<VerifiedPayment | Refusal> {
  const { rpc, clock, limits } = deps;
  let seenLedger = clock.latestLedger();
  for (let attempts = 0; attempts <= limits.maxResends; attempts++) {
    if (attempts > 0) {
      await sleep(limits.resendAfterMs);
      // It may be the network that has started afresh: only close times tell.
      await sightLedgers(rpc);
      seenLedger = Math.min(seenLedger, clock.latestLedger());
    }
    const verified = await examine(deps, payment);
    if ('code' in verified || verified.simulation.latestLedger >= seenLedger) return verified;
  }
  throw new RpcFault(`simulateTransaction: the node is still behind ledger ${seenLedger}`);
}
