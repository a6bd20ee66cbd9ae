/** Puts together what a call returns: structured, with its binary parts as blocks. */
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from './json.ts';
import type { Bought } from './payment/openPurchases.ts';
import type { PaidAnswer } from './payment/purchase.ts';
import { reportOn } from './payment/report.ts';
import type { Outcome } from './payment/waiting.ts';
import type { TargetName } from './target/resolve.ts';
import type { PaymentEnd } from './wallet/index.ts';

export interface CallResult {
  readonly structured: JsonObject;
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
}

/** The result of a call that paid. */
export interface PaidResult {
  readonly result: CallResult;
  /** Undefined if the ledger has not decided. */
  readonly end: PaymentEnd | undefined;
  /** True for a failure that is not final. */
  readonly isOpen: boolean;
}

/** Something other than a demand for payment; undefined if the target has not answered. */
type Delivered = Exclude<PaidAnswer, { kind: 'paymentRequired' }> | undefined;

/** Returns the result of a call that cost nothing. */
export function freeResult(target: TargetName, delivered: Delivered): CallResult {
  return resultOf({ paid: false, receipt: null, ...delivery(target, delivered) }, delivered);
}

/** Returns the result of a call that paid. `isEarlier` is set if an earlier call made the payment. */
export function paidResult(
  network: string,
  { target, purchase }: Bought,
  outcome: Outcome,
  isEarlier: boolean,
): PaidResult {
  const { answer, end } = outcome;
  const { payment, receipt, claimedReceipt, failure } = reportOn(purchase, outcome, network);
  const delivered = answer?.kind === 'paymentRequired' ? undefined : answer;
  const about = {
    paid: isPaid(end),
    payment: { ...payment },
    receipt: receipt && { ...receipt },
    ...(claimedReceipt && { claimedReceipt: { ...claimedReceipt } }),
    ...(isEarlier && { fromEarlierCall: true }),
    ...delivery(target, delivered),
  };
  if (failure === undefined) return { result: resultOf(about, delivered), end, isOpen: false };
  const { code, message } = failure;
  const result = resultOf({ errorCode: code, reason: message, ...about }, delivered, true);
  const isDecided = end?.status === 'notSettled' || (end?.status === 'settled' && answer !== undefined);
  return { result, end, isOpen: !isDecided };
}

/** Returns the result of a call during which this server failed. It must not look as if nothing had been paid. */
export function faultResult(network: string, { purchase }: Bought): PaidResult {
  const { payment } = reportOn(purchase, { answer: undefined, end: undefined }, network);
  const reason =
    'This server failed after the payment was sent. Make the same call again to learn its outcome.';
  const structured = { errorCode: 'svc_mcp_internal_error', reason, paid: null, payment: { ...payment } };
  return { result: resultOf(structured, undefined, true), end: undefined, isOpen: true };
}

/** Returns null if not known. */
function isPaid(end: PaymentEnd | undefined): boolean | null {
  return end === undefined || end.status === 'unknown' ? null : end.status === 'settled';
}

function delivery({ type, resource, toolName, stale }: TargetName, delivered: Delivered): JsonObject {
  const { content, status } = delivered ?? {};
  return {
    resource,
    type,
    toolName: toolName ?? null,
    ...(stale && { stale: { ...stale } }),
    status: status ?? null,
    contentType: content?.contentType ?? null,
    result: content?.result ?? null,
    truncated: content?.isTruncated ?? false,
  };
}

function resultOf(structured: JsonObject, delivered: Delivered, isError = false): CallResult {
  return { structured, blocks: delivered?.content?.blocks ?? [], isError };
}
