import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleCode, VerifyCode } from '../contract/index.ts';
import { payerExpiration } from './checks/authorization.ts';
import { awaitOutcome, type Outcome } from './outcome.ts';
import type { Payment } from './payment.ts';
import { refuse, type Refusal } from './refusal.ts';
import type { Validity } from './settlementTransaction.ts';
import { signSettlement, type SigningDeps } from './signing.ts';
import { submit, type SubmissionDeps } from './submission.ts';
import type { Submitters, TakenLane } from './submitters.ts';
import { examine, type VerifiedPayment, type VerifyDeps } from './verify.ts';
import type { InFlight } from './inFlight.ts';
import type { SchemeLog } from './scheme.ts';

export interface SettleDeps extends VerifyDeps, SubmissionDeps, SigningDeps {
  submitters: Submitters;
  inFlight: InFlight;
  now: () => number;
  log: SchemeLog;
  /** Ends the waiting for outcomes when the service closes. */
  closing: AbortSignal;
}

/** How a settlement ended, as far as it is known; with the hash of its transaction once there is one. */
export type Ending =
  { hash: string; refusal?: never } | { refusal: Refusal<VerifyCode | SettleCode>; hash?: string };

/** How far a settlement has come. */
interface Progress {
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
  const progress: Progress = {};
  const answerDue = new AbortController();
  const settled = deps.inFlight.alone(payment, deps.now() + answerWithinMs, () =>
    carry(deps, payment, progress),
  );
  const due = sleep(answerWithinMs, 'due' as const, { signal: answerDue.signal, ref: false }).catch(
    () => 'due' as const,
  );
  const ending = await Promise.race([settled, due]);
  answerDue.abort();
  progress.isAnswered = true;
  if (ending === undefined) return { refusal: stillInFlight };
  return ending === 'due' ? notKnownYet(progress) : ending;
}

async function carry(deps: SettleDeps, payment: Payment, progress: Progress): Promise<Ending> {
  let faultCode: VerifyCode | SettleCode = 'unexpected_verify_error';
  try {
    const verified = await examine(deps, payment);
    if ('code' in verified) return { refusal: verified };
    faultCode = 'unexpected_settle_error';
    const lane = await deps.submitters.take(deps.now() + laneWaitMs(deps));
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
    return { refusal: refuse(faultCode, unexpected), ...progress };
  }
}

/** Once a submitter is taken, the rest of the time belongs to the ledger. */
function laneWaitMs({ limits }: SettleDeps): number {
  return limits.answerWithinMs - limits.maxInclusionSeconds * 1000;
}

async function settleOn(
  deps: SettleDeps,
  lane: TakenLane,
  verified: VerifiedPayment,
  progress: Progress,
): Promise<Ending> {
  const { payment, simulation } = verified;
  for (let renewed = false; ; renewed = true) {
    const validity = validityOf(deps, payment);
    const signed = await signSettlement(deps, verified, { lane, validity });
    if ('code' in signed) return { refusal: signed };
    if (progress.isAnswered) return { refusal: nothingSent };
    const { hash, envelope } = signed;
    progress.hash = hash;
    const submission = await submit(deps, envelope);
    if (submission.status === 'sent') {
      const sent = { hash, validity, sentInLedger: simulation.latestLedger };
      const outcome = await awaitOutcome(deps, sent, deps.closing);
      if (outcome.status !== 'never') lane.sequence += 1n;
      deps.log.info({ transaction: hash, submitter: lane.signer.address, ...outcome }, 'settlement ended');
      return endingOf(hash, outcome);
    }
    deps.log.warn(
      { transaction: hash, submitter: lane.signer.address, reason: submission.reason },
      'submission rejected',
    );
    // A sequence number that was used without us: that transaction can never apply, so one signed anew is safe.
    if (submission.reason !== 'txBadSeq' || renewed) return { refusal: notAccepted(submission.reason), hash };
    await deps.submitters.refresh(lane);
  }
}

/** The payment's own time, within what a ledger needs and a seller waits for; never beyond its authorization. */
function validityOf({ clock, limits }: SettleDeps, payment: Payment): Validity {
  const seconds = Math.max(
    limits.minInclusionSeconds,
    Math.min(limits.maxInclusionSeconds, payment.maxTimeoutSeconds),
  );
  return { maxTime: clock.networkSeconds() + Math.ceil(seconds), lastLedger: payerExpiration(payment) };
}

const unexpected =
  'An unexpected fault kept the facilitator from settling; it says nothing about the payment.';

const stillInFlight = refuse(
  'verification_failed',
  'Another settlement of the same authorization has not ended yet; settle again to learn how it ended.',
);

const nothingSent = refuse(
  'unexpected_settle_error',
  'The network did not answer in time; nothing was sent.',
);

function notAccepted(reason: string): Refusal<SettleCode> {
  return refuse(
    'settle_exact_stellar_transaction_submission_failed',
    `The network did not accept the transaction (${reason}); nothing reached the ledger.`,
  );
}

function notKnownYet({ hash }: Progress): Ending {
  if (hash === undefined) return { refusal: nothingSent };
  const message = `Transaction ${hash} was sent; whether a ledger took it is not known yet. Look it up before paying again.`;
  return { refusal: refuse('settle_exact_stellar_transaction_failed', message), hash };
}

function endingOf(hash: string, outcome: Outcome): Ending {
  switch (outcome.status) {
    case 'success':
      return { hash };
    case 'failed': {
      const message = `Transaction ${hash} failed in ledger ${outcome.ledger} (${outcome.result}); no money moved.`;
      return { refusal: refuse('settle_exact_stellar_transaction_failed', message), hash };
    }
    case 'never': {
      const message = `Transaction ${hash} was sent, but no ledger took it before it expired; it never will, and no money moved.`;
      return { refusal: refuse('settle_exact_stellar_transaction_failed', message), hash };
    }
  }
}
