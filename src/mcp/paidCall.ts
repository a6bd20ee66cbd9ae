import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { Failure } from './codes.ts';
import type { JsonObject } from './json.ts';
import { CALL_LIMITS } from './limits.ts';
import { chooseOffer, declined } from './payment/offer.ts';
import { followAgain, sendPayment } from './payment/purchase.ts';
import type { Purchase, PurchaseDeps } from './payment/purchase.ts';
import { reportOn } from './payment/report.ts';
import { awaitOutcome } from './payment/waiting.ts';
import type { Outcome, Patience } from './payment/waiting.ts';
import type { Bought, Unclaimed } from './payment/unclaimed.ts';
import type { Answer } from './target/answer.ts';
import { resolveTarget } from './target/resolve.ts';
import type { CallArguments, ResolveDeps, Target, TargetName } from './target/resolve.ts';
import type { NotSigned, SpendPolicy, Wallet } from '../wallet/index.ts';

export interface PaidCallDeps extends ResolveDeps, PurchaseDeps {
  /** Undefined for a server that only searches and calls what is free. */
  wallet: Wallet | undefined;
  policy: SpendPolicy;
  unclaimed: Unclaimed;
  now: () => number;
}

/** What a call comes to: its structured result, and what of it is binary. */
export interface CallResult {
  readonly structured: JsonObject;
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
}

/** Calls a target; where it answers 402, pays within the policy and calls it once more (specification 4.8). */
export async function paidCall(
  deps: PaidCallDeps,
  args: CallArguments,
  signal: AbortSignal,
): Promise<CallResult | Failure> {
  const startedAt = deps.now();
  const remainingMs = (): number => startedAt + CALL_LIMITS.answerWithinMs - deps.now();
  const call: Call = { key: keyOf(args), patience: { remainingMs, signal } };
  const earlier = await resume(deps, call);
  if (earlier !== undefined) return earlier;

  const target = await resolveTarget(deps, args);
  if (target instanceof Failure) return target;
  const first = await target.exchange.ask();
  if (first.kind === 'paymentRequired') {
    const purchase = await pay(deps, target.exchange, first.required, signal);
    if (!(purchase instanceof Failure)) return finish(deps, call, { target, purchase });
    await target.exchange.close();
    return purchase;
  }
  await target.exchange.close();
  if (first.kind === 'delivered')
    return result({ paid: false, receipt: null, ...delivery(target, first) }, first);
  const { errorCode, reason } = first.failure;
  return new Failure(errorCode, `${reason} Nothing was paid.`);
}

interface Call {
  readonly key: string;
  readonly patience: Patience;
}

/** The same arguments make the same call, in whatever order they are given. */
function keyOf(args: CallArguments): string {
  return JSON.stringify(args, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** The end of an earlier payment for the same call, if there is one that was not told. Undefined when it may be paid (again). */
async function resume(deps: PaidCallDeps, call: Call): Promise<CallResult | undefined> {
  const bought = deps.unclaimed.take(call.key);
  if (bought === undefined) return undefined;
  const { target, purchase } = bought;
  const end = await Promise.race([purchase.followed.ended, Promise.resolve(undefined)]);
  const followed = end?.status === 'unknown' ? followAgain(deps, purchase) : purchase;
  const outcome = await awaitOutcome(followed, call.patience);
  if (outcome.end?.status === 'notSettled') return undefined;
  return tell(deps, call, { target, purchase: followed }, outcome, { fromEarlierCall: true });
}

/** One signature, sent once. A failure says why nothing was sent. */
async function pay(
  deps: PaidCallDeps,
  exchange: Target['exchange'],
  required: JsonObject | undefined,
  signal: AbortSignal,
): Promise<Purchase | Failure> {
  const { network, policy, wallet } = deps;
  const terms = chooseOffer(required, network, policy);
  if (terms instanceof Failure) return terms;
  if (wallet === undefined)
    return new Failure(
      'svc_mcp_wallet_not_configured',
      `The target costs ${terms.amount} base units of ${terms.asset}, and this server has no wallet: CLIENT_STELLAR_PRIVATE_KEY is not set. Nothing was paid.`,
    );
  if (signal.aborted) return cancelled();
  const payment = await wallet.sign(terms);
  if ('refused' in payment) return notSigned(payment);
  if (!signal.aborted) return sendPayment(deps, exchange, required ?? {}, payment);
  payment.reservation.giveBack();
  return cancelled();
}

function notSigned({ refused, reason }: NotSigned): Failure {
  if (refused === 'policy') return declined(reason);
  const hint =
    refused === 'network'
      ? ' Most often the wallet has too little of the asset, or the recipient cannot hold it.'
      : '';
  return new Failure(
    'svc_mcp_payment_not_settled',
    `The payment could not be made: ${reason}.${hint} Nothing was sent and nothing was paid.`,
  );
}

function cancelled(): Failure {
  return new Failure(
    'svc_mcp_internal_error',
    'The call was cancelled before anything was signed. Nothing was paid.',
  );
}

async function finish(deps: PaidCallDeps, call: Call, bought: Bought): Promise<CallResult> {
  try {
    return tell(deps, call, bought, await awaitOutcome(bought.purchase, call.patience), {});
  } catch (error) {
    // Also a fault of this server must not look as if nothing had been paid.
    deps.log.error({ err: error }, 'a call failed after its payment was sent');
    deps.unclaimed.put(call.key, bought);
    const { payment } = reportOn(bought.purchase, { answer: undefined, end: undefined }, deps.network);
    const reason =
      'This server failed after the payment was sent. Make the same call again to learn its end.';
    const structured = { errorCode: 'svc_mcp_internal_error', reason, payment: { ...payment } };
    return { structured, blocks: [], isError: true };
  }
}

/** The result of a call that paid. What it cannot tell yet, or cannot tell anybody, waits for the same call. */
function tell(
  { unclaimed, network }: PaidCallDeps,
  { key, patience }: Call,
  { target, purchase }: Bought,
  outcome: Outcome,
  further: JsonObject,
): CallResult {
  const { answer, end } = outcome;
  const { payment, receipt, failure } = reportOn(purchase, outcome, network);
  const isOpen = answer === undefined || end === undefined || end.status === 'unknown';
  if (patience.signal.aborted || (failure !== undefined && isOpen)) unclaimed.put(key, { target, purchase });

  const delivered = answer?.kind === 'paymentRequired' ? undefined : answer;
  const about = { payment: { ...payment }, receipt, ...further, ...delivery(target, delivered) };
  if (failure === undefined) return result({ paid: true, ...about }, delivered);
  const { errorCode, reason } = failure;
  return { ...result({ errorCode, reason, ...about }, delivered), isError: true };
}

type Delivered = Exclude<Answer, { kind: 'paymentRequired' }> | undefined;

function delivery({ type, resource, toolName }: TargetName, delivered: Delivered): JsonObject {
  const { content = null, status = null } = delivered ?? {};
  return {
    resource,
    type,
    toolName,
    status,
    contentType: content?.contentType ?? null,
    result: content?.result ?? null,
    truncated: content?.isTruncated ?? false,
  };
}

function result(structured: JsonObject, delivered: Delivered): CallResult {
  return { structured, blocks: delivered?.content?.blocks ?? [], isError: false };
}
