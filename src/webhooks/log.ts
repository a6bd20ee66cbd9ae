export interface WebhookLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Is told the outcome of each attempt, and counts them. */
export interface WebhookObserver {
  /** `attempts` says how many attempts the event took. */
  delivered(attempts: number): void;
  failed(): void;
  givenUp(): void;
}

export const UNOBSERVED: WebhookObserver = { delivered: () => {}, failed: () => {}, givenUp: () => {} };

/** Logs when the receiver fails, and when it works again. */
export interface ReceiverLog {
  failed(id: string, failure: string): void;
  delivered(): void;
}

/** Writes at most one line in `intervalMs` while the receiver fails. Shows only the URL's origin. */
export function createReceiverLog(
  log: WebhookLog,
  { url, intervalMs }: { url: string; intervalMs: number },
): ReceiverLog {
  const receiver = new URL(url).origin;
  let failures = 0;
  let isSaid = false;
  let nextMs = -Infinity;
  return {
    failed(event, failure) {
      failures += 1;
      if (performance.now() < nextMs) return;
      nextMs = performance.now() + intervalMs;
      log.warn({ receiver, event, failure, failures }, 'the webhook receiver does not accept events');
      failures = 0;
      isSaid = true;
    },
    delivered() {
      if (isSaid) log.info({ receiver }, 'the webhook receiver accepts events again');
      isSaid = false;
    },
  };
}
