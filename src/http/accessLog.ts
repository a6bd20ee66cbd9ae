import type { Log } from '../log/log.ts';
import { LOGGED_TEXT_CHARS } from './limits.ts';
import type { Reply } from './refusal.ts';
import type { PaymentFacts } from './requested.ts';

export interface Access {
  readonly requestId: string;
  readonly method: string;
  /** Without the query string, and shortened for the log. */
  readonly path: string;
  /** `key:<id>` if the sender has shown a key, otherwise `anonymous`. */
  readonly caller: string;
  /** The address of a caller without a key; IPv6 as its network of 64 bits. */
  readonly address?: string;
  readonly startedAtMs: number;
  /** True if the sender was gone before the answer. */
  readonly aborted: boolean;
}

/** How a request ended: its status, and of the body codes, messages and what is public on the ledger. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  /** The text that goes with the code of a refused payment. */
  readonly message?: string;
  readonly payer?: string;
  readonly transaction?: string;
}

/** Logs one line per request. That of a refused payment says which payment it was. */
export function logAccess(
  log: Log,
  { startedAtMs, aborted, ...request }: Access,
  { status, ...outcome }: Outcome,
  payment: PaymentFacts | undefined,
): void {
  log.info(
    {
      ...request,
      status,
      durationMs: Math.round((performance.now() - startedAtMs) * 1000) / 1000,
      ...outcome,
      ...(outcome.code !== undefined && payment),
      ...(aborted && { aborted }),
    },
    'request',
  );
}

export function outcomeOf({ status, body }: Reply): Outcome {
  const { invalidReason, invalidMessage, errorReason, errorMessage, error, payer, transaction } = body as {
    invalidReason?: string;
    invalidMessage?: string;
    errorReason?: string;
    errorMessage?: string;
    error?: { code: string };
    payer?: string;
    transaction?: string;
  };
  const code = invalidReason ?? errorReason ?? error?.code;
  const message = invalidMessage ?? errorMessage;
  return {
    status,
    ...(code && { code }),
    ...(message && { message: message.slice(0, LOGGED_TEXT_CHARS) }),
    ...(payer && { payer }),
    ...(transaction && { transaction }),
  };
}
