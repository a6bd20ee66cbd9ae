import type { SettleCode } from '../../contract/index.ts';
import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { OperatorCode, Refusal } from '../refusal.ts';
import { movesStellarAsset } from '../verify/checks/events.ts';
import { settlementFee, totalStroops, type FeePolicy } from '../verify/checks/fee.ts';
import type { VerifiedPayment } from '../verify/verify.ts';
import { feeBudgetExhausted } from './answer.ts';
import type { ReadyAccount } from './channelAccounts.ts';
import type { Deadlines } from './deadlines.ts';
import type { Attempt, Settlement } from './settlement.ts';
import type { SettlementJournal } from './settlementJournal.ts';
import { signSettlement, type SigningDeps } from './signing.ts';

/** Signs the attempts of settlements. */
export interface AttemptSigner {
  /**
   * Signs a verified payment on an account, and bids `wantedStroops` for each operation, within the policy. Refuses a
   * bid that the budget cannot afford.
   */
  sign(
    settlement: Settlement,
    account: ReadyAccount,
    verified: VerifiedPayment,
    wantedStroops: number,
  ): Promise<Attempt | Refusal<SettleCode | OperatorCode>>;
}

interface AttemptSignerDeps extends SigningDeps {
  networkPassphrase: string;
  feePolicy: FeePolicy;
  deadlines: Pick<Deadlines, 'validityOf'>;
  journal: Pick<SettlementJournal, 'exhausted'>;
  clock: Pick<LedgerClock, 'networkSeconds'>;
  /** Monotonic milliseconds. */
  now: () => number;
}

export function createAttemptSigner(deps: AttemptSignerDeps): AttemptSigner {
  const { networkPassphrase, feePolicy, deadlines, journal, clock, now } = deps;
  return {
    async sign(settlement, account, verified, wantedStroops) {
      const { simulation, payment } = verified;
      const validity = deadlines.validityOf(settlement);
      const bid = settlementFee(simulation.resourceFeeStroops, wantedStroops, feePolicy);
      const { budget } = settlement.payment;
      const exhausted = await journal.exhausted(budget, totalStroops(bid));
      if (exhausted !== undefined) return feeBudgetExhausted(budget, exhausted);
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
