/** Calls that answer sooner than the real ones, and sellers that wait until they are told. */
import { CALL_LIMITS } from '../../../src/agent/limits.ts';
import { FOLLOW_LIMITS } from '../../../src/agent/wallet/limits.ts';
import { withLimits } from './limits.ts';

/**
 * Time enough for a call to sign and to send; over before anybody looks whether a payment is dead that nobody answers.
 */
const SHORT = { answerWithinMs: FOLLOW_LIMITS.firstLookAfterMs - 1_000, minToPayMs: 0 };

export function withShortCalls(changes: Partial<typeof CALL_LIMITS> = {}): void {
  withLimits(CALL_LIMITS, { ...SHORT, ...changes });
}

/** What a seller waits for until a test lets it go on. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
