import { setTimeout as sleep } from 'node:timers/promises';
import { settleOn, verifyAgain } from './carrying.ts';
import type { Carried, CarryDeps } from './carrying.ts';
import { nothingSent, notKnownYet, stillInFlight, tooManyToVerify, unexpectedEnding } from './ending.ts';
import type { Ending } from './ending.ts';
import type { InFlight } from './inFlight.ts';
import type { Payers } from './payers.ts';
import type { PendingPayment } from '../payment.ts';
import { partiesOf, placesOf } from './pending.ts';
import { turnOf } from './progress.ts';
import type { Progress } from './progress.ts';
import type { Refusal, SchemeCode } from '../refusal.ts';
import type { Slots } from './slots.ts';
import type { VerifiedLately } from './verifiedLately.ts';
import type { VerifiedPayment } from '../verify/verify.ts';

export interface SettleDeps extends CarryDeps {
  payers: Payers;
  inFlight: InFlight;
  /** Limits how many payments are verified for their settlement at a time. */
  verifying: Slots;
  verifiedLately: Pick<VerifiedLately, 'has'>;
  /** Called when a payment settles that nobody waits for any more. */
  onLateSettlement: () => void;
  /** Stops the waiting for outcomes when the service closes. */
  closing: AbortSignal;
}

/**
 * Settles a readable payment: verifies it, carries it on a submitter's transaction and waits for the ledger. Answers in
 * time for the seller, or when the service closes. If the outcome is not known by then, the settlement goes on, and
 * reserves its submitter and its authorization until it is known. Never throws: faults are logged and become the
 * scheme's own codes.
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

/** Settles the payment if a lane is free. Undefined if it is good but has to wait, with nothing decoded kept. */
async function settleAtOnce(
  deps: SettleDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<Ending | undefined> {
  const verified = await verifyInTurn(deps, payment, progress);
  if ('code' in verified) return { refusal: verified };
  progress.isVerified = true;
  const lane = await deps.submitters.takeFree(payment);
  if (lane === undefined) return undefined;
  const isOutdated = deps.clock.latestLedger() > verified.simulation.latestLedger;
  return carryOn(deps, { lane, payment, verified: isOutdated ? undefined : verified }, progress);
}

/** Waits for a lane, then verifies again: a payment that was good a ledger ago may now fail and still cost its fee. */
async function settleInTurn(deps: SettleDeps, payment: PendingPayment, progress: Progress): Promise<Ending> {
  const lane = await deps.submitters.take(payment, turnOf(deps, payment, progress));
  if ('code' in lane) return { refusal: lane };
  return carryOn(deps, { lane, payment, verified: undefined }, progress);
}

/** Verifies the payment when its turn comes: only some are verified at the same time. */
async function verifyInTurn(
  deps: SettleDeps,
  payment: PendingPayment,
  progress: Progress,
): Promise<VerifiedPayment | Refusal<SchemeCode>> {
  const waiter = {
    ...partiesOf(payment),
    sender: payment.sender,
    places: placesOf(payment, deps.limits),
    ...turnOf(deps, payment, progress),
  };
  const isPreferred = deps.verifiedLately.has(payment.transaction);
  const verified = await deps.verifying.run(waiter, isPreferred, async () => {
    const verdict = await verifyAgain(deps, payment, progress);
    if (!('code' in verdict)) await deps.payers.learnMeans(payment);
    return verdict;
  });
  if (typeof verified !== 'string') return verified;
  if (progress.isAnswered) return nothingSent.refusal!;
  return tooManyToVerify;
}

/** Carries the payment on the lane that was taken for it, and gives the lane back. */
async function carryOn(
  deps: SettleDeps,
  { lane, payment, verified }: Carried & { verified: VerifiedPayment | undefined },
  progress: Progress,
): Promise<Ending> {
  try {
    if (progress.isAnswered) return nothingSent;
    // Other payments of its payer may have failed meanwhile.
    const refusal = deps.payers.refusal(payment.party);
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
