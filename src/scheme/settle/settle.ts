import type { PendingPayment } from '../payment.ts';
import { within } from '../within.ts';
import { answerNow, answerToFault, stillInFlight, type Answer } from './answer.ts';
import type { InFlight } from './inFlight.ts';
import { live, type LifeDeps } from './life.ts';
import { sentHash, type Settlement } from './settlement.ts';

export interface SettleDeps extends LifeDeps {
  inFlight: InFlight;
  /** Called when a payment settles after its seller was answered. */
  onLateSettlement: () => void;
  /** Stops the waiting for outcomes when the service closes. */
  closing: AbortSignal;
}

/**
 * Settles a readable payment once no other settlement of its authorization is under way. Answers in time for the seller,
 * or when the service closes. If the outcome is not known by then, the settlement goes on, and reserves its channel
 * account and its authorization until it is known. Never throws: faults are logged and become the scheme's own codes.
 */
export async function settle(deps: SettleDeps, payment: PendingPayment, askedAtMs: number): Promise<Answer> {
  const answerDeadline = askedAtMs + deps.limits.answerWithinMs;
  const settlement: Settlement = {
    payment,
    askedAtMs,
    verifiedAtMs: undefined,
    answerDeadline,
    state: 'queued',
    isAnswered: false,
    attempts: [],
  };
  const settled = deps.inFlight.alone(payment.authorization, () =>
    deps.tracer.phase('settlement', () => settleAlone(deps, settlement)),
  );
  if (settled === undefined) return stillInFlight;

  const answer = await within(settled, Math.max(0, answerDeadline - deps.now()), deps.closing);
  settlement.isAnswered = true;
  if (answer !== undefined) return answer;
  const { state } = settlement;
  deps.log.warn({ transaction: sentHash(settlement), state }, 'answered before the outcome was known');
  void settled.then(({ refusal }) => {
    if (refusal === undefined) deps.onLateSettlement();
  });
  return answerNow(settlement);
}

async function settleAlone(deps: SettleDeps, settlement: Settlement): Promise<Answer> {
  if (settlement.isAnswered) return stillInFlight;
  try {
    const answer = await live(deps, settlement);
    deps.tracer.note({ code: answer.refusal?.code });
    return answer;
  } catch (fault) {
    const answer = answerToFault(settlement);
    deps.tracer.note({ code: answer.refusal.code });
    const { state } = settlement;
    const log = { err: fault, code: answer.refusal.code, transaction: sentHash(settlement), state };
    if (deps.closing.aborted) deps.log.warn(log, 'the service closed before a settlement ended');
    else deps.log.error(log, 'unexpected fault while settling');
    return answer;
  }
}
