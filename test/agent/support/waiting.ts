/** Calls that answer sooner than the real ones, and sellers that wait until they are told. */
import type { AgentLimits } from '../../../src/agent/limits.ts';
import type { AgentStage } from './stage.ts';

/** Time enough for a call to sign and to send, which takes a fraction of it. */
const ANSWER_WITHIN_MS = 2_500;

/** Calls are over before anybody looks whether a payment is dead that nobody answers. */
export function withShortCalls(stage: AgentStage, changes: Partial<AgentLimits> = {}): void {
  Object.assign(stage.limits, { answerWithinMs: ANSWER_WITHIN_MS, minToPayMs: 0 }, changes);
  stage.limits.wallet.firstLookAfterMs = ANSWER_WITHIN_MS + 500;
}

/** What a seller waits for until a test lets it go on. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
