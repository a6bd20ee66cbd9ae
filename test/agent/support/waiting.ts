/** Calls that answer sooner than the real ones, and sellers that wait until they are told. */
import { AGENT_LIMITS, type AgentLimits } from '../../../src/agent/limits.ts';
import type { AgentStage } from './stage.ts';

/**
 * Time enough for a call to sign and to send; over before anybody looks whether a payment is dead that nobody answers.
 */
const SHORT = { answerWithinMs: AGENT_LIMITS.wallet.firstLookAfterMs - 1_000, minToPayMs: 0 };

export function withShortCalls(stage: AgentStage, changes: Partial<AgentLimits> = {}): void {
  Object.assign(stage.limits, SHORT, changes);
}

/** What a seller waits for until a test lets it go on. */
export function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
