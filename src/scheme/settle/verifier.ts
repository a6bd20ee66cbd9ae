import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import { RpcFault } from '../../stellar/rpc/fault.ts';
import type { SettleLimits } from '../limits.ts';
import type { Payment } from '../payment.ts';
import type { Refusal, SchemeCode } from '../refusal.ts';
import type { NotExecuted } from '../verify/checks/simulation.ts';
import type { VerifiedPayment } from '../verify/verify.ts';
import { nothingSent, tooManyToVerify } from './answer.ts';
import type { Deadlines } from './deadlines.ts';
import type { Payers } from './payers.ts';
import { decoded, partiesOf, placesOf } from './pending.ts';
import type { Settlement } from './settlement.ts';
import type { Slots } from './slots.ts';
import type { VerifiedLately } from './verifiedLately.ts';

/** Verifies payments for their settlement. */
export interface Verifier {
  /** Verifies a payment when its turn comes: only some are verified at the same time. */
  verifyInTurn(settlement: Settlement): Promise<VerifiedPayment | Refusal<SchemeCode>>;
  /** Verifies a payment at once: one that was good a ledger ago may now fail on the ledger, and cost its fee. */
  verifyAgain(settlement: Settlement): Promise<VerifiedPayment | Refusal>;
}

interface VerifierDeps {
  /** Walks the ladder; see verify.ts. */
  examine: (payment: Payment) => Promise<VerifiedPayment | NotExecuted>;
  slots: Slots;
  verifiedLately: Pick<VerifiedLately, 'has'>;
  payers: Pick<Payers, 'learnMeans'>;
  deadlines: Pick<Deadlines, 'turnOf'>;
  clock: Pick<LedgerClock, 'latestLedger'>;
  /** Asks the RPC for its ledgers, so that the clock learns of them. */
  sightLedgers: () => Promise<unknown>;
  /** Monotonic milliseconds. */
  now: () => number;
  limits: Pick<SettleLimits, 'maxResends' | 'resendAfterMs' | 'maxReadRepeats' | 'bytesPerWaitingPayment'>;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

export function createVerifier(deps: VerifierDeps): Verifier {
  const verifyAgain: Verifier['verifyAgain'] = (settlement) => verifyUpToDate(deps, settlement);
  return {
    verifyAgain,
    async verifyInTurn(settlement) {
      const { payment } = settlement;
      const waiter = {
        ...partiesOf(payment),
        places: placesOf(payment, deps.limits),
        ...deps.deadlines.turnOf(settlement),
      };
      const isPreferred = deps.verifiedLately.has(payment.transaction);
      const verified = await deps.slots.run(waiter, isPreferred, async () => {
        const verdict = await verifyAgain(settlement);
        if (!('code' in verdict)) await deps.payers.learnMeans(payment);
        return verdict;
      });
      if (typeof verified !== 'string') return verified;
      return settlement.isAnswered ? nothingSent : tooManyToVerify;
    },
  };
}

/**
 * Verifies a payment on a ledger no older than the latest one seen. A node that lags, perhaps one of several behind one
 * address, would refuse a payment that has just become possible, and accept one that has just been spent. The latter
 * would fail on the ledger and cost its fee. If the RPC fails, it is asked again: a seller that settles has often
 * delivered already. Throws if the RPC keeps failing or lags for too long, or once the settlement is answered.
 */
async function verifyUpToDate(
  { examine, clock, sightLedgers, now, limits, onFault }: VerifierDeps,
  settlement: Settlement,
): Promise<VerifiedPayment | Refusal> {
  const payment = decoded(settlement.payment);
  let seenLedger = clock.latestLedger();
  let faults = 0;
  for (let attempts = 0; attempts <= limits.maxResends && !settlement.isAnswered; attempts++) {
    if (attempts > 0) await sleep(limits.resendAfterMs);
    try {
      const verified = await examine(payment);
      const ledger = 'code' in verified ? ledgerOf(verified) : verified.simulation.latestLedger;
      if (ledger >= seenLedger) {
        if (!('code' in verified)) settlement.verifiedAtMs = now();
        return verified;
      }
      // The network itself may have started afresh: only close times tell.
      await sightLedgers();
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
