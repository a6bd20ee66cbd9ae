import type { Call } from './answers.ts';
import { isPaused, type Instance } from './instances.ts';
import type { Payment } from './payments.ts';

/** An answer to settle is due after 80 s, whatever happens. */
const SETTLE_LIMIT_MS = 80_500;
/** A verification is two calls at most, each at each node, with their time limits. */
const VERIFY_LIMIT_MS = 45_000;

export interface Verification {
  readonly payment: Payment;
  readonly instance: Instance;
  askedAtMs: number;
}

/** Says what should have been answered by now. One that is paused answers later. */
export function overdue(
  calls: readonly Call[],
  verifications: Iterable<Verification>,
  nowMs: number,
): string[] {
  const isLate = (
    { instance, askedAtMs }: { instance: Instance; askedAtMs: number },
    limitMs: number,
  ): boolean => !isPaused(instance) && nowMs - askedAtMs > limitMs;
  return [
    ...calls
      .filter((call) => call.answer === undefined && !call.isLost && isLate(call, SETTLE_LIMIT_MS))
      .map(({ payment }) => `${payment.name} was not answered within ${SETTLE_LIMIT_MS} ms`),
    ...[...verifications]
      .filter((one) => isLate(one, VERIFY_LIMIT_MS))
      .map(
        ({ payment }) => `the verification of ${payment.name} was not answered within ${VERIFY_LIMIT_MS} ms`,
      ),
  ];
}
