import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { SettleLimits } from '../limits.ts';
import type { Payment, PendingPayment } from '../payment.ts';
import type { FeePolicy } from '../verify/checks/fee.ts';
import type { PaymentPolicy } from '../verify/checks/policy.ts';
import type { NotExecuted } from '../verify/checks/simulation.ts';
import type { VerifiedPayment } from '../verify/verify.ts';
import type { Answer } from './answer.ts';
import { createAttempts } from './attempts.ts';
import { createBids } from './bids.ts';
import { createChannelAccounts } from './channelAccounts.ts';
import type { ChannelAccounts } from './channelAccounts.ts';
import { createDeadlines } from './deadlines.ts';
import { createInclusionFees } from './inclusionFees.ts';
import type { InclusionFees } from './inclusionFees.ts';
import { createInFlight } from './inFlight.ts';
import type { SettlementJournal } from './journal.ts';
import { createPayers } from './payers.ts';
import type { Payers } from './payers.ts';
import { recover } from './recovery.ts';
import { settle } from './settle.ts';
import type { Signer } from './signer.ts';
import { networkIdOf } from '../../stellar/networks.ts';
import { createSlots } from './slots.ts';
import type { VerifiedLately } from './verifiedLately.ts';
import { createVerifier } from './verifier.ts';
import { createWatcher } from './watcher.ts';

export interface SettlingDeps {
  rpc: Rpc;
  clock: LedgerClock;
  /** Monotonic milliseconds. */
  now: () => number;
  limits: SettleLimits;
  networkPassphrase: string;
  signers: readonly Signer[];
  feeBump: Signer | undefined;
  feePolicy: FeePolicy;
  /** See FeeSettings. */
  percentile: number;
  policy: PaymentPolicy;
  journal: SettlementJournal;
  /** Walks the ladder; see verify.ts. */
  examine: (payment: Payment) => Promise<VerifiedPayment | NotExecuted>;
  /** Asks the RPC for its ledgers, so that the clock learns of them. */
  sightLedgers: () => Promise<unknown>;
  verifiedLately: Pick<VerifiedLately, 'has'>;
  onLateSettlement: () => void;
  /** Stops the waiting for outcomes when the service closes. */
  closing: AbortSignal;
  log: SchemeLog;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/** The parts that settle payments, and what they share. */
export interface Settling {
  readonly payers: Pick<Payers, 'refusal'>;
  readonly accounts: Pick<ChannelAccounts, 'open'>;
  readonly inclusionFees: InclusionFees;
  settle(payment: PendingPayment): Promise<Answer>;
  /** Learns the outcomes of the settlements that an earlier process left open. */
  recover(): void;
}

export function createSettling(deps: SettlingDeps): Settling {
  const { limits, now, clock, networkPassphrase, feePolicy: policy } = deps;
  const payers = createPayers({ ...deps, onMeansKnown: () => accounts.handOut() });
  const accounts = createChannelAccounts({ ...deps, payers });
  const deadlines = createDeadlines(deps);
  const inclusionFees = createInclusionFees(deps);
  const slotLimits = {
    atOnce: limits.maxVerifiedAtOnce,
    maxPlaces: limits.maxWaitingToBeVerified,
    maxPlacesPerParty: limits.maxWaitingPaymentsPerParty,
  };
  const parts = {
    ...deps,
    payers,
    accounts,
    deadlines,
    inFlight: createInFlight(limits),
    watcher: createWatcher(deps),
    verifier: createVerifier({ ...deps, payers, deadlines, slots: createSlots(slotLimits, now) }),
    bids: createBids({ inclusionFees, policy, clock, limits }),
    attempts: createAttempts({ ...deps, networkId: networkIdOf(networkPassphrase), policy, deadlines }),
  };
  return {
    payers,
    accounts,
    inclusionFees,
    settle: (payment) => settle(parts, payment),
    recover: () => recover(parts),
  };
}
