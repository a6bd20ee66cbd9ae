import type { SettleResponse, VerifyResponse } from '../contract/index.ts';
import type { SchemeLog } from '../stellar/log.ts';
import { PASSPHRASES, type Network } from '../stellar/networks.ts';
import type { Rpc } from '../stellar/rpc/pool.ts';
import { UNTRACED, type SchemeTracer } from '../stellar/tracer.ts';
import { checkSettling, checkVerifying, type Checking } from './checking.ts';
import { createVerifyDeps, type SharedVerifyDeps } from './verifyDeps.ts';
import { MAX_VERIFIED_LATELY, SETTLE_LIMITS, type SettleLimits } from './limits.ts';
import { identify } from './identify.ts';
import { createOpenRequests } from './openRequests.ts';
import { UNOBSERVED, type SchemeObserver } from './observer.ts';
import type { EncodedPayment, Payment, PendingPayment, SchemeRequest, SettleRequest } from './payment.ts';
import type { FailureThresholds, PaymentPolicy } from './policy.ts';
import { refuse, type Refusal, type Refused, type SchemeCode } from './refusal.ts';
import { invalid, settled, valid } from './responses.ts';
import { explainSettledBefore } from './settledBefore.ts';
import type { Answer, SettledFacts } from './settle/answer.ts';
import type { FeeBalances } from './settle/feeAccounts.ts';
import type { SettlementJournal, SpentPayment } from './settle/settlementJournal.ts';
import { authorizationOf, decoded, encoded, pendingOf } from './settle/pending.ts';
import type { Sharing } from './settle/sharing.ts';
import { createSettler, type Settler } from './settle/settler.ts';
import type { Signer } from './settle/signer.ts';
import { createVerifiedLately, type VerifiedLately } from './settle/verifiedLately.ts';
import type { SchemeState } from './state.ts';
import { partyOf } from './verify/party.ts';
import { examine, readRequest } from './verify/verify.ts';

export interface SchemeDeps {
  network: Network;
  rpc: Rpc;
  submitters: readonly Signer[];
  feeBump: Signer | undefined;
  fees: FeeSettings;
  /** Unless given, nobody looks at the balances. */
  feeBalances?: FeeBalances;
  policy: PaymentPolicy;
  failures: FailureThresholds;
  journal: SettlementJournal;
  /** Shares accounts and payments with other instances; undefined if there are none. */
  sharing?: Sharing | undefined;
  /** Called when a payment settles after its answer was due, or after a restart. */
  onLateSettlement: () => void;
  observer?: SchemeObserver | undefined;
  log: SchemeLog;
  /** Shows the phases of settlements. */
  tracer?: SchemeTracer | undefined;
  /** Monotonic milliseconds; a test may bring its own clock. */
  now?: () => number;
  limits?: Partial<SettleLimits>;
}

export interface FeeSettings {
  /** The highest fee for one settlement; `MAX_TRANSACTION_FEE_STROOPS`. */
  ceilingStroops: number;
  /** The percentile of recent inclusion fees: 10, 20 … 90, 95 or 99; `INCLUSION_FEE_PERCENTILE`. */
  percentile: number;
  /** The lowest and the highest bid for inclusion, for each operation. */
  minInclusionStroops: number;
  maxInclusionStroops: number;
}

/** What was paid, and for what. */
export type PaidTerms = Pick<PendingPayment, 'payer' | 'payTo' | 'asset' | 'amount' | 'resource'>;

/**
 * The response to a settlement and, if the payment settled, what its listing and its receipt need. `isFinal`: a ledger has
 * decided.
 */
export type SettleResult = SettleResponse & { facts?: SettledFacts; paid?: PaidTerms; isFinal?: boolean };

/** The exact scheme on one Stellar network. */
export interface Scheme {
  readonly kind: { x402Version: 2; scheme: 'exact'; network: Network; extra: { areFeesSponsored: true } };
  /** Public addresses of the accounts that source settlement transactions. */
  readonly submitters: readonly string[];
  readonly feeBumpAddress: string | undefined;
  /** Decides whether a payment is good. Usually makes one RPC call. */
  verify(request: SchemeRequest): Promise<VerifyResponse>;
  /** Puts a payment on the ledger. While it waits, only its transaction, its terms and `listing` are kept. */
  settle(request: SettleRequest): Promise<SettleResult>;
  /** Returns the payment that a request is about, as the journal knows it; undefined if it does not fit the terms. */
  identify(request: SchemeRequest): SpentPayment | undefined;
  /** True while this process settles the payment with this authorization (`address:nonce`). */
  isUnderWay(authorization: string): boolean;
  /** Learns the ledgers' rhythm and the submitters' sequence numbers before the first payment. Never throws. */
  open(): Promise<void>;
  state(): SchemeState;
  /**
   * Reads the balances that `state` shows: one RPC call per ledger and 200 accounts, however many ask. Throws if the RPC
   * fails, also to those who ask until the next ledger.
   */
  readBalances(): Promise<void>;
  /**
   * Waits until every request is answered, within a limit, and disconnects from the network. Settlements that nobody
   * waits for any more are left to the journal.
   */
  close(): Promise<void>;
}

/** The parts that verify and settle, and what they share. */
interface Parts {
  readonly network: Network;
  readonly rpc: Rpc;
  readonly verifyDeps: SharedVerifyDeps;
  readonly policy: PaymentPolicy;
  readonly settler: Settler;
  readonly journal: Pick<SettlementJournal, 'settledBy'>;
  readonly verifiedLately: VerifiedLately;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly observer: SchemeObserver;
  readonly log: SchemeLog;
}

export function createScheme(deps: SchemeDeps): Scheme {
  const { network, submitters, feeBump } = deps;
  const limits = { ...SETTLE_LIMITS, ...deps.limits };
  const requests = createOpenRequests();
  const closing = new AbortController();
  const parts = createParts(deps, limits, closing.signal);
  return {
    kind: { x402Version: 2, scheme: 'exact', network, extra: { areFeesSponsored: true } },
    submitters: submitters.map(({ address }) => address),
    feeBumpAddress: feeBump?.address,
    verify: (request) => requests.track(verify(parts, request)),
    settle: (request) => requests.track(settlePayment(parts, request)),
    identify: (request) => identify(request, parts.verifyDeps),
    isUnderWay: (authorization) => parts.settler.isUnderWay(authorization),
    open: () => parts.settler.open(),
    state: () => ({
      ...parts.settler.state(),
      nodes: parts.rpc.nodes(),
      ledger: { latest: parts.rpc.clock.latestLedger(), lagMs: parts.rpc.clock.lagMs() },
    }),
    readBalances: () => parts.settler.readBalances(),
    async close() {
      deps.sharing?.drain();
      await requests.answered(limits.drainMs);
      closing.abort();
      await deps.sharing?.close();
      await parts.rpc.close();
    },
  };
}

function createParts(deps: SchemeDeps, limits: SettleLimits, closing: AbortSignal): Parts {
  const {
    network,
    rpc,
    submitters,
    feeBump,
    fees,
    policy,
    failures,
    journal,
    log,
    observer = UNOBSERVED,
  } = deps;
  const now = deps.now ?? ((): number => performance.now());
  const { clock } = rpc;
  const feePolicy = { ...fees, hasFeeBump: feeBump !== undefined };
  const facilitators = feeBump === undefined ? submitters : [...submitters, feeBump];
  const facilitatorAddresses = facilitators.map(({ address }) => address);
  const verifyDeps = createVerifyDeps({ network, rpc, clock, feePolicy, facilitatorAddresses });
  const verifiedLately = createVerifiedLately(MAX_VERIFIED_LATELY);
  const settler = createSettler({
    rpc,
    clock,
    now,
    limits,
    networkPassphrase: PASSPHRASES[network],
    submitters,
    feeBump,
    feePolicy,
    feePercentile: fees.percentile,
    feeBalances: deps.feeBalances ?? { warningStroops: undefined, floorStroops: undefined },
    failures,
    journal,
    sharing: deps.sharing,
    examine: (payment) => examine({ ...verifyDeps, purpose: 'settling' }, payment),
    sightLedgers: verifyDeps.sightLedgers,
    verifiedLately,
    onLateSettlement: deps.onLateSettlement,
    closing,
    observer,
    log,
    tracer: deps.tracer ?? UNTRACED,
    onFault: (fault) => log.warn({ err: fault }, 'fault while settling'),
  });
  return { network, rpc, verifyDeps, policy, settler, journal, verifiedLately, now, observer, log };
}

/** Reads a request. Nothing that a sender writes should make this throw; if it does, this service is at fault. */
function read(parts: Parts, request: SchemeRequest): Payment | Refused {
  const { verifyDeps, policy, settler } = parts;
  try {
    return readRequest(request, { ...verifyDeps, policy, payers: settler.payers });
  } catch (fault) {
    return { refusal: unexpected(parts, fault) };
  }
}

/**
 * Not async: it must not hold on to the request while it waits for the network, nor to the decoded payment while it
 * waits for the check.
 */
function verify(parts: Parts, request: SchemeRequest): Promise<VerifyResponse> {
  const payment = read(parts, request);
  if ('refusal' in payment) return Promise.resolve(invalid(payment.refusal, payment.payer));
  const checking = checkVerifying(parts.policy, payment, request);
  return checking === undefined
    ? verdictOn(parts, payment)
    : verdictAfter(parts, checking, encoded(payment), payment.payer);
}

async function verdictAfter(
  parts: Parts,
  checking: NonNullable<Checking>,
  kept: EncodedPayment,
  payer: string | undefined,
): Promise<VerifyResponse> {
  const refusal = await checking;
  return refusal === undefined ? verdictOn(parts, decoded(kept)) : invalid(refusal, payer);
}

async function verdictOn(parts: Parts, payment: Payment): Promise<VerifyResponse> {
  try {
    const verified = await examine({ ...parts.verifyDeps, purpose: 'verifying' }, payment);
    if ('code' in verified) return await refusedVerdict(parts, payment, verified);
    parts.verifiedLately.note(payment.transaction);
    return valid(payment.payer);
  } catch (fault) {
    return invalid(unexpected(parts, fault), payment.payer);
  }
}

async function refusedVerdict(
  { journal }: Parts,
  payment: Payment,
  refusal: Refusal,
): Promise<VerifyResponse> {
  const spent = (): SpentPayment => ({ ...payment, authorization: authorizationOf(payment) });
  const explained = await explainSettledBefore(journal, { refusal }, spent);
  return invalid(explained.refusal, payment.payer, explained.hash);
}

/** Not async: a waiting payment must not hold on to the request, nor to anything decoded. */
function settlePayment(parts: Parts, request: SettleRequest): Promise<SettleResult> {
  const { network, verifyDeps, settler } = parts;
  const askedAtMs = parts.now();
  const payment = read(parts, request);
  if ('refusal' in payment) return Promise.resolve(settled(payment, network, payment.payer));
  const { payer } = payment;
  const refusal = settler.feeAccounts.refusal();
  if (refusal !== undefined) return Promise.resolve(settled({ refusal }, network, payer));
  const pending = pendingOf(payment, partyOf(payment, verifyDeps.leeway), request);
  const checking = checkSettling(parts.policy, payment, request);
  const answering =
    checking === undefined
      ? settler.settle(pending, askedAtMs)
      : settleAfter(checking, () => settler.settle(pending, askedAtMs));
  return answering.then(async (answer) => {
    noteSettled(parts, answer);
    if (answer.refusal === undefined) {
      const { payTo, asset, amount, resource } = pending;
      const paid = { payer: pending.payer, payTo, asset, amount, resource };
      return { ...settled(answer, network, payer), paid };
    }
    if (answer.isFinal) return { ...settled(answer, network, payer), isFinal: true };
    return settled(await explainSettledBefore(parts.journal, answer, () => pending), network, payer);
  });
}

function noteSettled({ rpc: { clock }, observer }: Parts, { facts }: Answer): void {
  const ledger = facts?.ledgerClose?.ledger;
  const sinceClosedMs = ledger === undefined ? undefined : clock.sinceClosedMs(ledger);
  if (sinceClosedMs !== undefined) observer.settled(sinceClosedMs);
}

async function settleAfter(
  checking: Promise<Refusal<SchemeCode> | undefined>,
  settle: () => Promise<Answer>,
): Promise<Answer> {
  const refusal = await checking;
  return refusal === undefined ? settle() : { refusal };
}

function unexpected({ log }: Parts, fault: unknown): Refusal {
  log.error({ err: fault, code: 'unexpected_verify_error' }, 'unexpected fault while verifying');
  return refuse(
    'unexpected_verify_error',
    'The payment could not be verified, most likely because the network did not answer; try again.',
  );
}
