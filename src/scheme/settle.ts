import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleCode, VerifyCode } from '../contract/index.ts';
import { usedExpiration } from './checks/authorization.ts';
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
  /** The transaction that was sent last, or is about to be. */
  hash?: string;
  /** The seller has its answer, which names what was sent until then: nothing else may be sent any more. */
  isAnswered?: boolean;
}

/**
 * Settles a readable payment (specification 4.2): verifies it, carries it on a submitter's transaction and waits for
 * the ledger. The answer is given in time for the seller; a settlement whose end is not known by then goes on, and
 * keeps its submitter and its authorization to itself until it is. Never throws: faults are logged and become the
 * scheme's own codes.
 */
export async function settle(deps: SettleDeps, payment: Payment): Promise<Ending> {
  const { answerWithinMs } = deps.limits;
  const progress: Progress = { answerDeadline: deps.now() + answerWithinMs };
  const answerDue = new AbortController();
  const settled = deps.inFlight.alone(payment, progress.answerDeadline, () => carry(deps, payment, progress));
  const due = sleep(answerWithinMs, 'due' as const, { signal: answerDue.signal, ref: false }).catch(
    () => 'due' as const,
  );
  const ending = await Promise.race([settled, due]);
  answerDue.abort();
  progress.isAnswered = true;
  if (ending === undefined) return stillInFlight;
  return ending === 'due' ? notKnownYet(progress.hash) : ending;
}

async function carry(deps: SettleDeps, payment: Payment, progress: Progress): Promise<Ending> {
  let faultCode: VerifyCode | SettleCode = 'unexpected_verify_error';
  try {
    const verified = await examine(deps, payment);
    if ('code' in verified) return { refusal: verified };
    faultCode = 'unexpected_settle_error';
    const lane = await deps.submitters.take(laneDeadline(deps, progress));
    if ('code' in lane) return { refusal: lane };
    try {
      return await settleOn(deps, lane, verified, progress);
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
      const sent = { hash, validity, sentInLedger: simulation.latestLedger };
      const outcome = await awaitOutcome(deps, sent, deps.closing);
      if (outcome.status !== 'never') lane.sequence += 1n;
      deps.log.info({ ...log, ...outcome }, 'settlement ended');
      return endingOf(hash, outcome);
    }
    const { reason } = submission;
    deps.log.warn({ ...log, reason }, 'submission rejected');
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
  return { maxTimeSeconds: clock.networkSeconds() + Math.ceil(seconds), lastLedger: usedExpiration(payment) };
}
