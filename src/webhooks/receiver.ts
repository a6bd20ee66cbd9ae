import { Pool } from 'undici';
import { signatureHeaders } from '../net/signature.ts';
import type { WebhookLimits } from './limits.ts';

export interface Message {
  /** The same in all attempts. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** Says why a message was not accepted, and how long a pause the receiver asks for, if any. */
export interface Refusal {
  readonly failure: string;
  readonly retryAfterMs: number | undefined;
}

/** Sends messages to the operator's own server. */
export interface Receiver {
  /** Sends a message once. Returns undefined if it was accepted. Never rejects. */
  send(message: Message): Promise<Refusal | undefined>;
  /** Cuts off the attempts that are under way. */
  close(): Promise<void>;
}

export interface ReceiverDeps {
  url: string;
  /** See signatureHeaders. */
  secret: string;
  limits: Pick<WebhookLimits, 'maxAtOnce' | 'connectTimeoutMs' | 'attemptTimeoutMs' | 'maxAnswerBytes'>;
}

const MAX_FAILURE_CHARS = 200;
const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** A receiver accepts a message with any 2xx. Any other status is a failure, also a redirect, which is not followed. */
export function createReceiver({ url, secret, limits }: ReceiverDeps): Receiver {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, {
    connections: limits.maxAtOnce,
    connect: { timeout: limits.connectTimeoutMs },
    headersTimeout: limits.attemptTimeoutMs,
    bodyTimeout: limits.attemptTimeoutMs,
  });
  return {
    async send({ id, body }) {
      const signed = signatureHeaders(secret, { id, body, time: new Date() });
      const headers = { 'content-type': 'application/json', 'user-agent': 'stellar-facilitator', ...signed };
      const signal = AbortSignal.timeout(limits.attemptTimeoutMs);
      try {
        const request = { method: 'POST', path: pathname + search, headers, body, signal } as const;
        const answer = await pool.request(request);
        // Only the status matters.
        await answer.body.dump({ limit: limits.maxAnswerBytes, signal }).catch(() => {});
        return refusalIn(answer.statusCode, answer.headers['retry-after']);
      } catch (error) {
        const text = signal.aborted ? 'no answer in time' : textOf(error as Error);
        return { failure: text.slice(0, MAX_FAILURE_CHARS), retryAfterMs: undefined };
      }
    },
    close: () => pool.destroy(),
  };
}

function refusalIn(status: number, retryAfter: unknown): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isBusy = status === TOO_MANY_REQUESTS || status === SERVICE_UNAVAILABLE;
  return { failure: `HTTP status ${status}`, retryAfterMs: isBusy ? waitOf(String(retryAfter)) : undefined };
}

/** Reads `Retry-After`: seconds, or a date. */
function waitOf(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const waitMs = Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

const textOf = ({ name, message, code }: Error & { code?: string }): string => message || code || name;
