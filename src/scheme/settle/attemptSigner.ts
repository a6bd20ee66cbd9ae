import type { SettleCode } from '../../contract/index.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { Refusal } from '../refusal.ts';
import { movesStellarAsset } from '../verify/checks/events.ts';
import { settlementFee, type FeePolicy } from '../verify/checks/fee.ts';
import type { VerifiedPayment } from '../verify/verify.ts';
import type { ReadyAccount } from './channelAccounts.ts';
import type { Deadlines } from './deadlines.ts';
import type { Attempt, Settlement } from './settlement.ts';
import { signSettlement, type SigningDeps } from './signing.ts';

/** Signs the attempts of settlements. */
export interface AttemptSigner {
  /** Signs a verified payment on an account, and bids `wantedStroops` for each operation, within the policy. */
  sign(
    settlement: Settlement,
    account: ReadyAccount,
    verified: VerifiedPayment,
    wantedStroops: number,
  ): Promise<Attempt | Refusal<SettleCode>>;
}

interface AttemptSignerDeps extends SigningDeps {
  networkPassphrase: string;
  feePolicy: FeePolicy;
  deadlines: Pick<Deadlines, 'validityOf'>;
  clock: Pick<LedgerClock, 'networkSeconds'>;
  /** Monotonic milliseconds. */
  now: () => number;
}

export function createAttemptSigner(deps: AttemptSignerDeps): AttemptSigner {
  const { networkPassphrase, feePolicy, deadlines, clock, now } = deps;
  return {
    async sign(settlement, account, verified, wantedStroops) {
      const { simulation, payment } = verified;
      const validity = deadlines.validityOf(settlement);
      const bid = settlementFee(simulation.resourceFeeStroops, wantedStroops, feePolicy);
      const mayApplyUntil = now() + (validity.maxTimeSeconds - clock.networkSeconds()) * 1000;
      const signed = await signSettlement(deps, verified, { account, validity, bid });
      if ('code' in signed) return signed;
      return {
        ...signed,
        source: account.signer.address,
        sequence: account.sequence + 1n,
        bid,
        isStellarAsset: movesStellarAsset(simulation.events, payment.asset, networkPassphrase),
        validity,
        mayApplyUntil,
        sentInLedger: simulation.latestLedger,
        outcome: undefined,
      };
    },
  };
}
