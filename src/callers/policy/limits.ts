import type { NodeLimits } from '../../stellar/limits.ts';

/** Limits the calls of the operator's check. Verifying and settling each have as much. */
export const CHECK_LIMITS: NodeLimits & { maxWaitingCalls: number; failureLogIntervalMs: number } = {
  connectTimeoutMs: 5_000,
  maxConnections: 32,
  /** Callers take turns at the connections. More count as silence, those of the caller with the most first. */
  maxWaitingCalls: 96,
  /** With calls that were given up, but hold a connection that is not made yet. */
  maxCallsAtOnce: 128,
  maxAnswerBytes: 16 * 1024,
  failureLogIntervalMs: 10_000,
};
