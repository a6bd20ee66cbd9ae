/** Carries a payment that was verified to its outcome. */
import type { SettleCode } from '../../contract/index.ts';
import { settlementFee, totalStroops } from '../verify/checks/fee.ts';
import type { SettlementFee } from '../verify/checks/fee.ts';
import {
  endingInstead,
  isBadSequence,
  isCurable,
  isOfInner,
  isOfSource,
  isOvertaken,
  isTooLow,
} from './doubt.ts';
import { endingOf, notAccepted, nothingSent } from './ending.ts';
import type { Ending } from './ending.ts';
import type { InclusionFees } from './inclusionFees.ts';
import type { JournaledEnd, JournalEntry, SettlementJournal } from './journal.ts';
import { nextLedger } from '../../stellar/ledgerClock.ts';
import type { SchemeLog } from '../../stellar/log.ts';
import { canRise, raised } from './offer.ts';
import type { PendingPayment } from '../payment.ts';
import { decoded } from './pending.ts';
import { hasTimeLeft, validityOf } from './progress.ts';
import type { Progress } from './progress.ts';
import type { Refusal } from '../refusal.ts';
import type { Validity } from './settlementTransaction.ts';
import { signSettlement } from './signing.ts';
import type { SignedTransaction, SigningDeps } from './signing.ts';
import { movesStellarAsset } from '../verify/checks/events.ts';
import { submit } from './submission.ts';
import type { SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { examineUpToDate } from './upToDate.ts';
import type { VerifiedPayment, VerifyDeps } from '../verify/verify.ts';
import type { Watcher } from './watcher.ts';

export interface CarryDeps extends VerifyDeps, SubmissionDeps, SigningDeps {
  networkPassphrase: string;
  submitters: Submitters;
  inclusionFees: InclusionFees;
  watcher: Watcher;
  journal: SettlementJournal;
  log: SchemeLog;
  now: () => number;
}

/** A payment and the lane that carries it. */
export interface Carried {
  readonly lane: TakenLane;
  readonly payment: PendingPayment;
}

/** Verifies the payment on a ledger no older than the latest one seen. */
export function verifyAgain(
  deps: CarryDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<VerifiedPayment | Refusal> {
  return examineUpToDate(deps, decoded(payment), () => progress.isAnswered);
}

/**
 * Carries the payment until its outcome is certain. It signs again only if the earlier signature can never apply, since
 * it was rejected or its time has passed. All signatures carry the same sequence number, unless something else has used
 * that number. So no two of them can ever apply, whatever the nodes say.
 */
export async function settleOn(
  deps: CarryDeps,
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
      // An earlier transaction may have paid it before any node knew; then it is refused. Ask the ledger again.
      if ('code' in again) return (await endingInstead(deps, lane, doubt)) ?? { refusal: again };
      current = again;
    }
    hashes.push(attempt.hash);
    const wantedStroops = Math.max(await deps.inclusionFees.current(), raised(attempt.fee, end));
    // The bid is at its cap: wait for the next ledger.
    if (isTooLow(end) && !canRise(attempt.fee, wantedStroops, deps.feePolicy))
      await nextLedger(deps.clock, deps.limits.maxPollIntervalMs);
    attempt = await signed(wantedStroops);
  }
}

/** Logs that the network rejects all transactions from the paying account. Marks a submitter as unfit, so it rests. */
function noteUnfit(
  { feeBump, log }: CarryDeps,
  { signer }: TakenLane,
  end: JournaledEnd,
  progress: Progress,
): void {
  if (feeBump !== undefined && !isOfInner(end))
    return log.error({ feeBump: feeBump.address }, 'the network takes nothing from the fee-bump account');
  progress.isLaneUnfit = true;
  log.error({ submitter: signer.address }, 'the network takes nothing from this submitter');
}

/** A signed attempt at a payment, with its bid. */
interface Attempt extends SignedTransaction {
  readonly fee: SettlementFee;
  readonly isStellarAsset: boolean;
  readonly validity: Validity;
  readonly mayApplyUntil: number;
  readonly sentInLedger: number;
}

async function sign(
  deps: CarryDeps,
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
  const isStellarAsset = movesStellarAsset(simulation.events, payment.asset, deps.networkPassphrase);
  return { ...signed, fee, isStellarAsset, validity, mayApplyUntil, sentInLedger: simulation.latestLedger };
}

/**
 * Opens a journal entry, sends the transaction, waits for its outcome and closes the entry. If the transaction is
 * rejected, the entry stays open until the ledger has been asked as well. Throws when the service closes.
 */
async function send(deps: CarryDeps, { lane, payment }: Carried, attempt: Attempt): Promise<JournaledEnd> {
  const sequence = lane.sequence + 1n;
  deps.journal.open(entryOf({ lane, payment }, attempt));
  const submission = await submit(deps, attempt);
  if (submission.status === 'rejected') {
    deps.log.warn({ ...namesOf(lane, attempt), reason: submission.reason }, 'submission rejected');
    if (!isBadSequence(submission) || (await isOvertaken(deps, lane))) return submission;
    // The sequence number is right, so that node is behind or another node has the transaction. The ledger will tell.
  }
  const isCertain = submission.status === 'sent' && submission.isCertain;
  const end = await deps.watcher.follow({ ...attempt, isCertain });
  if (end.status === 'success' || end.status === 'failed') lane.sequence = sequence;
  // Read the sequence number again: this transaction or something else may have used it.
  else deps.submitters.forget(lane);
  deps.journal.close(attempt.hash, end);
  deps.log.info({ ...namesOf(lane, attempt), ...end }, 'settlement ended');
  return end;
}

function entryOf({ lane, payment }: Carried, attempt: Attempt): JournalEntry {
  const { hash, isStellarAsset, validity, sentInLedger, fee } = attempt;
  return {
    hash,
    listing: payment.listing,
    isStellarAsset,
    payer: payment.payer,
    party: payment.party,
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
