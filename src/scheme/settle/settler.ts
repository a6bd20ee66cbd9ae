import type { LedgerClock } from '../../stellar/ledgerClock.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import { networkIdOf } from '../../stellar/networks.ts';
import type { Rpc } from '../../stellar/rpc/pool.ts';
import type { SchemeTracer } from '../../stellar/tracer.ts';
import type { SettleLimits } from '../limits.ts';
import type { Payment, PendingPayment } from '../payment.ts';
import type { FailureThresholds } from '../policy.ts';
import type { SchemeObserver } from '../observer.ts';
import type { FeePolicy } from '../verify/checks/fee.ts';
import type { NotExecuted } from '../verify/checks/simulation.ts';
import type { SchemeState } from '../state.ts';
import type { VerifiedPayment } from '../verify/verify.ts';
import type { Answer } from './answer.ts';
import { createAttemptSigner } from './attemptSigner.ts';
import { createBids } from './bids.ts';
import { createChannelAccounts, type ChannelAccounts } from './channelAccounts.ts';
import { createDeadlines } from './deadlines.ts';
import { createFeeAccounts, type FeeAccounts, type FeeBalances } from './feeAccounts.ts';
import { createInclusionFees, type InclusionFees } from './inclusionFees.ts';
import { createInFlight } from './inFlight.ts';
import { createOwnAccounts, type OwnAccounts } from './ownAccounts.ts';
import type { SettlementJournal } from './settlementJournal.ts';
import { createPayers, type Payers } from './payers.ts';
import { followLeft, recover } from './recovery.ts';
import { settle } from './settle.ts';
import type { Sharing } from './sharing.ts';
import type { Signer } from './signer.ts';
import { createSlots } from './slots.ts';
import type { VerifiedLately } from './verifiedLately.ts';
import { createVerifier } from './verifier.ts';
import { createWatcher } from './watcher.ts';

export interface SettlerDeps {
  rpc: Rpc;
  clock: LedgerClock;
  /** Monotonic milliseconds. */
  now: () => number;
  limits: SettleLimits;
  networkPassphrase: string;
  submitters: readonly Signer[];
  feeBump: Signer | undefined;
  feePolicy: FeePolicy;
  /** See FeeSettings. */
  feePercentile: number;
  feeBalances: FeeBalances;
  failures: FailureThresholds;
  journal: SettlementJournal;
  /** Shares accounts and payments with other instances; undefined if there are none. */
  sharing: Sharing | undefined;
  /** Walks the ladder; see verify.ts. */
  examine: (payment: Payment) => Promise<VerifiedPayment | NotExecuted>;
  /** Asks the RPC for its ledgers, so that the clock learns of them. */
  sightLedgers: () => Promise<unknown>;
  verifiedLately: Pick<VerifiedLately, 'has'>;
  onLateSettlement: () => void;
  /** Stops the waiting for outcomes when the service closes. */
  closing: AbortSignal;
  observer: SchemeObserver;
  log: SchemeLog;
  tracer: SchemeTracer;
  /** Receives the faults that are overcome by asking again. */
  onFault: (fault: unknown) => void;
}

/** Settles payments. */
export interface Settler {
  readonly payers: Pick<Payers, 'refusal'>;
  readonly feeAccounts: Pick<FeeAccounts, 'refusal'>;
  /** `askedAtMs` is the time by `now` when the seller asked, who waits since then. */
  settle(payment: PendingPayment, askedAtMs: number): Promise<Answer>;
  /** True while this process settles the payment with this authorization. */
  isUnderWay(authorization: string): boolean;
  state(): Omit<SchemeState, 'nodes' | 'ledger'>;
  /** See OwnAccounts. */
  readonly readBalances: OwnAccounts['readAll'];
  /**
   * Learns what became of the settlements of an earlier process, and what the first payment would otherwise have to ask
   * for. Never throws: what fails is logged.
   */
  open(): Promise<void>;
}

export function createSettler(deps: SettlerDeps): Settler {
  const { limits, now, clock, networkPassphrase, feePolicy, submitters: signers, feeBump } = deps;
  const addresses = [...signers, ...(feeBump === undefined ? [] : [feeBump])].map(({ address }) => address);
  const own = createOwnAccounts({ ...deps, addresses });
  const payers = createPayers({
    ...deps,
    onMeansKnown: () => accounts.handOut(),
  });
  const accounts = createChannelAccounts({ ...deps, own, signers, payers });
  const feeAccounts = createFeeAccounts({
    ...deps,
    own,
    payers: feeBump === undefined ? addresses : [feeBump.address],
    balances: deps.feeBalances,
    accounts,
  });
  const deadlines = createDeadlines(deps);
  const inclusionFees = createInclusionFees({ ...deps, percentile: deps.feePercentile });
  const slots = createSlots(
    {
      atOnce: limits.maxVerifiedAtOnce,
      maxPlaces: limits.maxWaitingToBeVerified,
      maxPlacesPerParty: limits.maxWaitingPaymentsPerParty,
    },
    now,
  );
  const parts = {
    ...deps,
    payers,
    accounts,
    deadlines,
    inclusionFees,
    inFlight: createInFlight(limits),
    watcher: createWatcher(deps),
    verifier: createVerifier({ ...deps, payers, deadlines, slots }),
    bids: createBids({ inclusionFees, feePolicy, clock, limits }),
    signer: createAttemptSigner({ ...deps, networkId: networkIdOf(networkPassphrase), deadlines }),
  };
  return {
    payers,
    feeAccounts,
    settle: (payment, askedAtMs) => settle(parts, payment, askedAtMs),
    isUnderWay: (authorization) => parts.inFlight.has(authorization),
    readBalances: () => own.readAll(),
    state: () => ({
      ...accounts.state(feeAccounts.isLow),
      feeBump: feeBump && feeBumpState(feeBump, own, feeAccounts),
      verifying: slots.state(),
      inFlight: parts.watcher.size,
    }),
    async open() {
      await recover(parts);
      await Promise.all([warmUp(parts), feeAccounts.open()]);
      await deps.sharing?.open({
        ...accounts,
        left: (entries) => followLeft(parts, entries),
      });
    },
  };
}

function feeBumpState(
  { address }: Signer,
  own: OwnAccounts,
  feeAccounts: FeeAccounts,
): SchemeState['feeBump'] {
  return { address, balanceStroops: own.balanceOf(address), isLow: feeAccounts.isLow(address) };
}

async function warmUp(
  parts: Pick<SettlerDeps, 'rpc' | 'sightLedgers' | 'log'> & {
    accounts: ChannelAccounts;
    inclusionFees: InclusionFees;
  },
): Promise<void> {
  const { rpc, sightLedgers, accounts, inclusionFees, log } = parts;
  const warmUps = [
    accounts.open().then((missing) => {
      if (missing.length > 0) log.warn({ missing }, 'submitters without an account: fund them with lumens');
    }),
    sightLedgers(),
    inclusionFees.current(),
    rpc.callEach('getNetwork').then((answers) => {
      const faults = answers.filter((answer) => answer instanceof Error);
      if (faults.length > 0) throw new AggregateError(faults);
    }),
  ];
  const faults = (await Promise.allSettled(warmUps))
    .filter((done) => done.status === 'rejected')
    .flatMap(({ reason }) => (reason instanceof AggregateError ? reason.errors : [reason]) as unknown[]);
  // All calls to a node that does not answer fail alike: one line tells it.
  const told = new Map(faults.map((err) => [withoutMethod(err), err]));
  for (const err of told.values()) log.warn({ err }, 'the RPC does not answer yet: check RPC_URL');
}

/** Returns the text of a fault without the method that was called. */
function withoutMethod(fault: unknown): string {
  const { message } = fault as Error;
  return message.replace(/^\w+: /, '');
}
