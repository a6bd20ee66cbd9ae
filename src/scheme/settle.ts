import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleCode, VerifyCode } from '../contract/index.ts';
import { usedCredentials } from './checks/authorization.ts';
import { awaitOutcome } from './outcome.ts';
import type { Payment } from './payment.ts';
import {
  endingOf,
  notAccepted,
  nothingSent,
  notKnownYet,
  stillInFlight,
  unexpectedEnding,
} from './ending.ts';
import type { Ending } from './ending.ts';
import type { Validity } from './settlementTransaction.ts';
import { signSettlement } from './signing.ts';
import type { SigningDeps } from './signing.ts';
import { submit } from './submission.ts';
import type { SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { examine } from './verify.ts';
import type { VerifiedPayment, VerifyDeps } from './verify.ts';
import type { InFlight } from './inFlight.ts';
import type { SchemeLog } from './log.ts';

export interface SettleDeps extends VerifyDeps, SubmissionDeps, SigningDeps {
  submitters: Submitters;
  inFlight: InFlight;
  now: () => number;
  log: SchemeLog;
  /** Ends the waiting for outcomes when the service closes. */
  closing: AbortSignal;
}

/** How far a settlement has come. */
interface Progress {
  /** The moment at which the seller gets its answer. */
  readonly answerDeadline: number;
  /** Its turn has come: nothing else works on the same authorization. */
  hasStarted: boolean;
  /** The transaction that was sent last, or is about to be. */
  hash: string | undefined;
  /** The seller has its answer, which names what was sent until then: nothing else may be sent any more. */
  isAnswered: boolean;
}

/**
 * Settles a readable payment (specification 4.2): verifies it, carries it on a submitter's transaction and waits for
 * the ledger. The answer is given in time for the seller, or when the service closes; a settlement whose end is not
 * known by then goes on, and keeps its submitter and its authorization to itself until it is. Never throws: faults
 * are logged and become the scheme's own codes.
 */
export async function settle(deps: SettleDeps, payment: Payment): Promise<Ending> {
  const { answerWithinMs } = deps.limits;
  const answerDeadline = deps.now() + answerWithinMs;
  const progress: Progress = { answerDeadline, hasStarted: false, hash: undefined, isAnswered: false };
  const settled = deps.inFlight.alone(payment, () => carry(deps, payment, progress));
  if (settled === undefined) return stillInFlight;

  const answered = new AbortController();
  const signal = AbortSignal.any([answered.signal, deps.closing]);
  const due = sleep(answerWithinMs, undefined, { signal, ref: false }).catch(() => undefined);
  const ending = await Promise.race([settled, due]);
  answered.abort();
  progress.isAnswered = true;
  return ending ?? (progress.hasStarted ? notKnownYet(progress.hash) : stillInFlight);
}

async function carry(deps: SettleDeps, payment: Payment, progress: Progress): Promise<Ending> {
  if (progress.isAnswered) return stillInFlight;
  progress.hasStarted = true;
  let faultCode: VerifyCode | SettleCode = 'unexpected_verify_error';
  try {
    const verified = await examine(deps, payment);
    if ('code' in verified) return { refusal: verified };
    faultCode = 'unexpected_settle_error';
    const taken = await deps.submitters.take(laneDeadline(deps, progress));
    if ('code' in taken) return { refusal: taken };
    const { lane, hasWaited } = taken;
    try {
      // What the network would have executed a ledger ago may now only cost its fee.
      const current = hasWaited ? await examine(deps, payment) : verified;
      if ('code' in current) return { refusal: current };
      return await settleOn(deps, lane, current, progress);
    } finally {
      deps.submitters.release(lane);
    }
  } catch (fault) {
    deps.log.error(
      { err: fault, code: faultCode, transaction: progress.hash },
      'unexpected fault while settling',
    );
    return unexpectedEnding(faultCode, progress.hash);
  }
}

/** Once a submitter is taken, the rest of the time belongs to the ledger. */
function laneDeadline({ limits }: SettleDeps, { answerDeadline }: Progress): number {
  return answerDeadline - limits.maxInclusionSeconds * 1000;
}

async function settleOn(
  deps: SettleDeps,
  lane: TakenLane,
  verified: VerifiedPayment,
  progress: Progress,
): Promise<Ending> {
  const { payment, simulation } = verified;
  for (let signatures = 1; ; signatures++) {
    const validity = validityOf(deps, payment);
    const signed = await signSettlement(deps, verified, { lane, validity });
    if ('code' in signed) return { refusal: signed };
    if (progress.isAnswered) return nothingSent;
    const { hash, envelope } = signed;
    progress.hash = hash;
    const log = { transaction: hash, submitter: lane.signer.address };
    const submission = await submit(deps, envelope);
    if (submission.status === 'sent') {
      const { isCertain } = submission;
      const sent = { hash, envelope, validity, sentInLedger: simulation.latestLedger, isCertain };
      const outcome = await awaitOutcome(deps, sent, deps.closing);
      if (outcome.status !== 'never') lane.sequence += 1n;
      deps.log.info({ ...log, ...outcome }, 'settlement ended');
      return endingOf(hash, outcome);
    }
    const { reason } = submission;
    deps.log.warn({ ...log, reason }, 'submission rejected');
    progress.hash = undefined;
    if (!isOutdated(reason) || signatures === deps.limits.maxSignatures) return notAccepted(hash, reason);
    if (reason === 'txBadSeq') await deps.submitters.refresh(lane);
  }
}

/**
 * Whether a transaction was rejected for what this facilitator believed of the network: its account's sequence
 * number, or the time. Such a transaction can never apply, so the payment is signed anew on what was just learned.
 */
function isOutdated(reason: string): boolean {
  return reason === 'txBadSeq' || reason === 'txTooLate';
}

/** The payment's own time, within what a ledger needs and a seller waits for; never beyond its authorization. */
function validityOf({ clock, limits }: SettleDeps, payment: Payment): Validity {
  const seconds = Math.max(
    limits.minInclusionSeconds,
    Math.min(limits.maxInclusionSeconds, payment.maxTimeoutSeconds),
  );
  return {
    maxTimeSeconds: clock.networkSeconds() + Math.ceil(seconds),
    lastLedger: usedCredentials(payment)?.signatureExpirationLedger ?? 0,
  };
}
