import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleCode } from '../contract/index.ts';
import { nextLedger } from './ledgerClock.ts';
import { settlementFee, totalStroops } from './checks/fee.ts';
import type { SettlementFee } from './checks/fee.ts';
import {
  endingInstead,
  isBadSequence,
  isCurable,
  isOfInner,
  isOfSource,
  isOvertaken,
  isTooLow,
} from './doubt.ts';
import type { InclusionFees } from './inclusionFees.ts';
import type { JournaledEnd, JournalEntry, SettlementJournal } from './journal.ts';
import type { Payers } from './payers.ts';
import type { PendingPayment } from './payment.ts';
import { decoded, placesOf } from './pending.ts';
import {
  endingOf,
  notAccepted,
  nothingSent,
  notKnownYet,
  stillInFlight,
  tooManyToVerify,
  unexpectedEnding,
} from './ending.ts';
import type { Ending } from './ending.ts';
import { canRise, raised } from './offer.ts';
import type { Validity } from './settlementTransaction.ts';
import { hasTimeLeft, turnOf, validityOf } from './progress.ts';
import type { Progress } from './progress.ts';
import type { Refusal, SchemeCode } from './refusal.ts';
import { signSettlement } from './signing.ts';
import type { SignedTransaction, SigningDeps } from './signing.ts';
import type { Slots } from './slots.ts';
import { submit } from './submission.ts';
import type { SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { examineUpToDate } from './upToDate.ts';
import type { VerifiedLately } from './verifiedLately.ts';
import type { VerifiedPayment, VerifyDeps } from './verify.ts';
import type { InFlight } from './inFlight.ts';
import type { Watcher } from './watcher.ts';
import type { SchemeLog } from './log.ts';

export interface SettleDeps extends VerifyDeps, SubmissionDeps, SigningDeps {
  submitters: Submitters;
  payers: Payers;
  inFlight: InFlight;
  /** For verifying what is to be settled. */
  verifying: Slots;
  verifiedLately: Pick<VerifiedLately, 'has'>;
  now: () => number;
  log: SchemeLog;
  inclusionFees: InclusionFees;
  watcher: Watcher;
  journal: SettlementJournal;
  /** A payment settled that nobody waits for any more. */
  onLateSettlement: () => void;
  /** Ends the waiting for outcomes when the service closes. */
  closing: AbortSignal;
}

/**
 * Settles a readable payment (specification 4.2): verifies it, carries it on a submitter's transaction and waits for
 * the ledger. The answer is given in time for the seller, or when the service closes; a settlement whose end is not
 * known by then goes on, and keeps its submitter and its authorization to itself until it is. Never throws: faults
 * are logged and become the scheme's own codes.
 */
export async function settle(deps: SettleDeps, payment: PendingPayment): Promise<Ending> {
  const { answerWithinMs } = deps.limits;
  const answerDeadline = deps.now() + answerWithinMs;
  const progress: Progress = {
    answerDeadline,
    hasStarted: false,
    isVerified: false,
    hash: undefined,
    isAnswered: false,
    isLaneUnfit: false,
    rejected: new Map(),
  };
  const settled = deps.inFlight.alone(payment.authorization, () => carry(deps, payment, progress));
  if (settled === undefined) return stillInFlight;

  const answered = new AbortController();
  const signal = AbortSignal.any([answered.signal, deps.closing]);
  const due = sleep(answerWithinMs, undefined, { signal, ref: false }).catch(() => undefined);
  const ending = await Promise.race([settled, due]);
  answered.abort();
  progress.isAnswered = true;
  if (ending === undefined) {
    deps.log.warn({ transaction: progress.hash }, 'answered before the end is known');
    void settled.then(({ refusal }) => {
      if (refusal === undefined) deps.onLateSettlement();
    });
  }
  return ending ?? (progress.hasStarted ? notKnownYet(progress.hash) : stillInFlight);
}

async function carry(deps: SettleDeps, payment: PendingPayment, progress: Progress): Promise<Ending> {
  if (progress.isAnswered) return stillInFlight;
  progress.hasStarted = true;
  try {
    return (await settleAtOnce(deps, payment, progress)) ?? (await settleInTurn(deps, payment, progress));
  } catch (fault) {
    const code = progress.isVerified ? 'unexpected_settle_error' : 'unexpected_verify_error';
    const log = { err: fault, code, transaction: progress.hash };
    if (deps.closing.aborted) deps.log.warn(log, 'the service closed before a settlement ended');
    else deps.log.error(log, 'unexpected fault while settling');
    return unexpectedEnding(code, progress.hash);
  }
}

/** Undefined where the payment is good and has to wait. Nothing that was decoded is kept then. */
async function settleAtOnce(
  deps: SettleDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<Ending | undefined> {
  const verified = await verifyInTurn(deps, payment, progress);
  if ('code' in verified) return { refusal: verified };
  progress.isVerified = true;
  await deps.payers.learnMeans(payment);
  const lane = await deps.submitters.takeFree(payment);
  return lane && (await carryOn(deps, { lane, payment, verified }, progress));
}

/** What the network would have executed a ledger ago may now only cost its fee: so it is verified again. */
async function settleInTurn(deps: SettleDeps, payment: PendingPayment, progress: Progress): Promise<Ending> {
  const lane = await deps.submitters.take(payment, turnOf(deps, payment, progress));
  if ('code' in lane) return { refusal: lane };
  return carryOn(deps, { lane, payment, verified: undefined }, progress);
}

/** Of many that are to be settled at the same time, some are verified at a time. */
async function verifyInTurn(
  deps: SettleDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<VerifiedPayment | Refusal<SchemeCode>> {
  const { payer, payTo } = payment;
  const waiter = { payer, payTo, places: placesOf(payment, deps.limits), ...turnOf(deps, payment, progress) };
  const verified = await deps.verifying.run(waiter, deps.verifiedLately.has(payment.transaction), () =>
    verifyAgain(deps, payment, progress),
  );
  if (typeof verified !== 'string') return verified;
  if (progress.isAnswered) return nothingSent.refusal!;
  return tooManyToVerify;
}

function verifyAgain(
  deps: SettleDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<VerifiedPayment | Refusal> {
  return examineUpToDate(deps, decoded(payment), () => progress.isAnswered);
}

/** Carries it on a lane that was taken for it, and gives that back. */
async function carryOn(
  deps: SettleDeps,
  { lane, payment, verified }: Carried & { verified: VerifiedPayment | undefined },
  progress: Progress,
): Promise<Ending> {
  try {
    if (progress.isAnswered) return nothingSent;
    // Others of its payer may have failed meanwhile.
    const refusal = deps.payers.refusal(payment.payer);
    if (refusal !== undefined) return { refusal };
    const current = verified ?? (await verifyAgain(deps, payment, progress));
    if ('code' in current) return { refusal: current };
    const ending = await settleOn(deps, { lane, payment }, current, progress);
    for (const [hash, end] of progress.rejected) deps.journal.close(hash, end);
    return ending;
  } finally {
    deps.submitters.release(lane, payment, progress.isLaneUnfit);
  }
}

/** A payment on its lane. */
interface Carried {
  readonly lane: TakenLane;
  readonly payment: PendingPayment;
}

/**
 * Carries the payment until its end is certain. It is signed again only when the earlier signature can never apply: it
 * was rejected, or its time has passed. All signatures carry the same sequence number, unless something else has used
 * that: so no two of them can ever apply, whatever the nodes say.
 */
async function settleOn(
  deps: SettleDeps,
  { lane, payment }: Carried,
  verified: VerifiedPayment,
  progress: Progress,
): Promise<Ending> {
  const hashes: string[] = [];
  let current = verified;
  const signed = async (wantedStroops: number): Promise<Attempt | Refusal<SettleCode>> =>
    sign(deps, { lane, payment }, current, wantedStroops, progress);
  let attempt = await signed(await deps.inclusionFees.current());
  for (let sends = 1; ; sends++) {
    if ('code' in attempt) return { refusal: attempt };
    if (progress.isAnswered) return nothingSent;
    progress.hash = attempt.hash;
    progress.rejected.delete(attempt.hash);
    const end = await send(deps, { lane, payment }, attempt);
    if (end.status === 'success') return endingOf(attempt.hash, end);
    if (isOfSource(end)) noteUnfit(deps, lane, end, progress);
    const isFinal = !isCurable(end) || sends === deps.limits.maxSignatures || !hasTimeLeft(deps, progress);
    const doubt = {
      attempt: { ...attempt, isCertain: true },
      end,
      earlier: hashes,
      isFinal,
      rejected: progress.rejected,
    };
    const instead = await endingInstead(deps, lane, doubt);
    if (instead !== undefined) return instead;
    if (isFinal || !hasTimeLeft(deps, progress)) {
      return end.status === 'rejected' ? notAccepted(attempt.hash, end.reason) : endingOf(attempt.hash, end);
    }
    if (end.status === 'never') await deps.submitters.refresh(lane);
    if (end.status === 'never' || isBadSequence(end)) {
      const again = await verifyAgain(deps, payment, progress);
      // It may be refused because one of these has paid it, which no node had known yet.
      if ('code' in again) return (await endingInstead(deps, lane, doubt)) ?? { refusal: again };
      current = again;
    }
    hashes.push(attempt.hash);
    const wantedStroops = Math.max(await deps.inclusionFees.current(), raised(attempt.fee, end));
    // What already offers most, another ledger may take.
    if (isTooLow(end) && !canRise(attempt.fee, wantedStroops, deps.feePolicy))
      await nextLedger(deps.clock, deps.limits.maxPollIntervalMs);
    attempt = await signed(wantedStroops);
  }
}

/** The network takes nothing from the account that pays: where it is the submitter, another one may do. */
function noteUnfit(
  { feeBump, log }: SettleDeps,
  { signer }: TakenLane,
  end: JournaledEnd,
  progress: Progress,
): void {
  if (feeBump !== undefined && !isOfInner(end))
    return log.error({ feeBump: feeBump.address }, 'the network takes nothing from the fee-bump account');
  progress.isLaneUnfit = true;
  log.error({ submitter: signer.address }, 'the network takes nothing from this submitter');
}

/** A signed attempt at a payment, and what it offers. */
interface Attempt extends SignedTransaction {
  readonly fee: SettlementFee;
  readonly validity: Validity;
  readonly mayApplyUntil: number;
  readonly sentInLedger: number;
}

async function sign(
  deps: SettleDeps,
  { lane, payment }: Carried,
  verified: VerifiedPayment,
  wantedStroops: number,
  progress: Progress,
): Promise<Attempt | Refusal<SettleCode>> {
  const { simulation } = verified;
  const validity = validityOf(deps, payment, progress);
  const fee = settlementFee(simulation.resourceFeeStroops, wantedStroops, deps.feePolicy);
  const mayApplyUntil = deps.now() + (validity.maxTimeSeconds - deps.clock.networkSeconds()) * 1000;
  const signed = await signSettlement(deps, verified, { lane, validity, fee });
  if ('code' in signed) return signed;
  return { ...signed, fee, validity, mayApplyUntil, sentInLedger: simulation.latestLedger };
}

/**
 * Sends it and waits for its end, with a line in the journal before and after; of a rejected one the line is left open
 * until the ledger was asked as well. Throws when the service closes.
 */
async function send(deps: SettleDeps, { lane, payment }: Carried, attempt: Attempt): Promise<JournaledEnd> {
  const sequence = lane.sequence + 1n;
  deps.journal.open(entryOf({ lane, payment }, attempt));
  const submission = await submit(deps, attempt);
  if (submission.status === 'rejected') {
    deps.log.warn({ ...namesOf(lane, attempt), reason: submission.reason }, 'submission rejected');
    if (!isBadSequence(submission) || (await isOvertaken(deps, lane))) return submission;
    // The number is right: so that node is behind, or another one has the transaction. The ledger will tell.
  }
  const isCertain = submission.status === 'sent' && submission.isCertain;
  const end = await deps.watcher.follow({ ...attempt, isCertain });
  if (end.status === 'success' || end.status === 'failed') lane.sequence = sequence;
  // Whether this or something else has used the number is to be asked.
  else deps.submitters.forget(lane);
  deps.journal.close(attempt.hash, end);
  deps.log.info({ ...namesOf(lane, attempt), ...end }, 'settlement ended');
  return end;
}

function entryOf({ lane, payment }: Carried, attempt: Attempt): JournalEntry {
  const { hash, validity, sentInLedger, fee } = attempt;
  return {
    hash,
    listing: payment.listing,
    payer: payment.payer,
    authorization: payment.authorization,
    submitter: lane.signer.address,
    sequence: lane.sequence + 1n,
    bid: { inclusionStroops: fee.inclusionStroops, totalStroops: totalStroops(fee) },
    sent: { validity, sentInLedger },
  };
}

function namesOf({ signer }: TakenLane, { hash, fee }: Attempt): object {
  return { transaction: hash, submitter: signer.address, bidStroops: totalStroops(fee) };
}
