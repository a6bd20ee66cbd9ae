import type { Log } from '../log/log.ts';
import type { Reply } from './refusal.ts';

export interface Access {
  readonly requestId: string;
  readonly method: string;
  /** Without the query string, and shortened for the log. */
  readonly path: string;
  readonly startedAtMs: number;
  /** True if the sender was gone before the answer. */
  readonly aborted: boolean;
}

/** Logs one line per request. Of the bodies it holds only codes and what is public on the ledger. */
export function logAccess(log: Log, access: Access, reply: Reply): void {
  const { startedAtMs, aborted, ...request } = access;
  log.info(
    {
      ...request,
      status: reply.status,
      durationMs: Math.round((performance.now() - startedAtMs) * 1000) / 1000,
      ...outcome(reply.body),
      ...(aborted && { aborted }),
    },
    'request',
  );
}

interface Outcome {
  code?: string;
  payer?: string;
  transaction?: string;
}

function outcome(body: unknown): Outcome {
  const { invalidReason, errorReason, error, payer, transaction } = body as {
    invalidReason?: string;
    errorReason?: string;
    error?: { code: string };
    payer?: string;
    transaction?: string;
  };
  const code = invalidReason ?? errorReason ?? error?.code;
  return { ...(code && { code }), ...(payer && { payer }), ...(transaction && { transaction }) };
}
