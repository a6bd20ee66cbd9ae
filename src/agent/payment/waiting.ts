import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentLimits } from '../limits.ts';
import type { PaymentEnd } from '../wallet/index.ts';
import type { PaidAnswer, Purchase } from './purchase.ts';

/** The state of a purchase when its call has to answer. */
export interface Outcome {
  /** Undefined if the target has not answered yet. */
  readonly answer: PaidAnswer | undefined;
  /** Undefined if the ledger has not decided yet. */
  readonly end: PaymentEnd | undefined;
}

/** Says how long a call may wait. */
export interface Patience {
  /** Returns how long the call may still take. */
  remainingMs(): number;
  /** Aborted when nobody waits for the call's result any more. */
  signal: AbortSignal;
}

/**
 * Waits for the answer and then for the ledger: after a refusal no longer than is useful, otherwise as long as the call
 * may take.
 */
export async function awaitOutcome(
  { answered, followed }: Purchase,
  { remainingMs, signal }: Patience,
  limits: AgentLimits,
): Promise<Outcome> {
  const within = <T>(promise: Promise<T>, ms: number): Promise<T | undefined> =>
    Promise.race([promise, pause(Math.min(ms, remainingMs()), signal)]);

  // Once the payment can no longer be taken, the answer is not worth waiting for.
  const noAnswer = followed.ended.then(({ status }) => (status === 'notSettled' ? undefined : answered));
  const answer = await within(Promise.race([answered, noAnswer]), remainingMs());
  if (answer === undefined) return { answer, end: (await within(followed.ended, 0)) ?? followed.soFar().end };
  const isRefused = answer.kind === 'paymentRequired' || answer.kind === 'notSent';
  const end = await within(followed.ended, isRefused ? limits.refusedFollowMs : remainingMs());
  if (end !== undefined) return { answer, end };

  const { expiresInMs = Infinity } = followed.soFar();
  if (isRefused && expiresInMs <= remainingMs()) await within(followed.ended, remainingMs());
  // The ledger may show that the payment was taken before it shows by which transaction.
  return { answer, end: followed.soFar().end };
}

/** Waits for a promise. Returns undefined if the call has to answer first. */
export function withinPatience<T>(
  promise: Promise<T>,
  { remainingMs, signal }: Patience,
): Promise<T | undefined> {
  return Promise.race([promise, pause(remainingMs(), signal)]);
}

/** Waits for this time, or until the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<undefined> {
  await sleep(Math.max(0, ms), undefined, { signal, ref: false }).catch(() => {});
  return undefined;
}
