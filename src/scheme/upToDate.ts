import { setTimeout as sleep } from 'node:timers/promises';
import { sightLedgers } from './ledgerClock.ts';
import type { SettleLimits } from './limits.ts';
import type { Payment } from './payment.ts';
import type { Refusal } from './refusal.ts';
import { RpcFault } from './rpc/node.ts';
import { examine } from './verify.ts';
import type { VerifiedPayment, VerifyDeps } from './verify.ts';

interface UpToDateDeps extends VerifyDeps {
  limits: Pick<SettleLimits, 'maxResends' | 'resendAfterMs' | 'maxReadRepeats'>;
  /** Hears of the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/**
 * Verifies a payment on a ledger no older than the latest that was seen. A node that lags, maybe one of several behind
 * one address, would execute once more what has just been spent; on the ledger that fails, and costs its fee. An RPC
 * that fails is asked again: whoever settles has often delivered already. Throws where it goes on failing, or lags for
 * too long.
 */
export async function examineUpToDate(
  deps: UpToDateDeps,
  payment: Payment,
): Promise<VerifiedPayment | Refusal> {
  const { rpc, clock, limits, onFault } = deps;
  let seenLedger = clock.latestLedger();
  let faults = 0;
  for (let attempts = 0; attempts <= limits.maxResends; attempts++) {
    if (attempts > 0) await sleep(limits.resendAfterMs);
    const verified = await examine(deps, payment).catch(rpcFault);
    if (verified instanceof RpcFault) {
      if (++faults > limits.maxReadRepeats) throw verified;
      onFault(verified);
      continue;
    }
    if ('code' in verified || verified.simulation.latestLedger >= seenLedger) return verified;
    // It may be the network that has started afresh: only close times tell.
    await sightLedgers(rpc);
    seenLedger = Math.min(seenLedger, clock.latestLedger());
  }
  throw new RpcFault(`simulateTransaction: the node is still behind ledger ${seenLedger}`);
}

function rpcFault(fault: unknown): RpcFault {
  if (fault instanceof RpcFault) return fault;
  throw fault;
}
