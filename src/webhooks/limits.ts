/** Limits the delivery of events. The journal's limits say how many may wait. */
export interface WebhookLimits {
  /** The largest number of attempts under way at once. */
  maxAtOnce: number;
  connectTimeoutMs: number;
  /** An attempt that took this long has failed. */
  attemptTimeoutMs: number;
  /** A claimed event is due again after this time if its process is gone. Must be longer than an attempt. */
  leaseMs: number;
  /** The pause before the second attempt. It doubles with each attempt, up to the maximum. */
  firstRetryMs: number;
  maxRetryMs: number;
  /** The longest pause that the receiver may ask for. */
  maxRetryAfterMs: number;
  /**
   * An event becomes a dead letter after this many attempts, which take some 28 hours, or 5 days if the receiver always
   * asks for the longest pause. Waiting does not count: the service or the receiver may have been down.
   */
  maxAttempts: number;
  /** The body of an answer is ignored. After this many bytes, the connection is closed. */
  maxAnswerBytes: number;
  /** Pause between two looks for events that are due. */
  pollIntervalMs: number;
  /** A stop waits this long for the attempts under way. */
  closeWithinMs: number;
  /** While the receiver fails, the log says so once in this time. */
  logIntervalMs: number;
}

const MINUTE_MS = 60_000;

export const WEBHOOK_LIMITS: WebhookLimits = {
  maxAtOnce: 16,
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 10_000,
  leaseMs: 20_000,
  firstRetryMs: 1_000,
  maxRetryMs: 15 * MINUTE_MS,
  maxRetryAfterMs: 60 * MINUTE_MS,
  maxAttempts: 120,
  maxAnswerBytes: 16 * 1024,
  pollIntervalMs: 500,
  closeWithinMs: 2_000,
  logIntervalMs: MINUTE_MS,
};

/** Returns the pause before the next attempt. A quarter of it is random, so that retries spread out. */
export function retryDelayMs(
  attempts: number,
  { firstRetryMs, maxRetryMs }: Pick<WebhookLimits, 'firstRetryMs' | 'maxRetryMs'>,
  random: () => number,
): number {
  const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempts - 1));
  return delayMs * (0.875 + random() / 4);
}
