import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { PaidIn } from './catalog/prices.ts';
import { Failure } from './codes.ts';
import type { JsonObject } from './json.ts';
import { CALL_LIMITS, TARGET_LIMITS } from './limits.ts';
import { createCallLimit } from './payment/callLimit.ts';
import { chooseOffer, declined } from './payment/offer.ts';
import { followAgain, sendPayment } from './payment/purchase.ts';
import type { PaidAnswer, Purchase, PurchaseDeps } from './payment/purchase.ts';
import { reportOn } from './payment/report.ts';
import { awaitOutcome, withinPatience } from './payment/waiting.ts';
import type { Outcome, Patience } from './payment/waiting.ts';
import type { Bought, OpenPurchases } from './payment/openPurchases.ts';
import { resolveTarget } from './target/resolve.ts';
import type { Exchange } from './target/answer.ts';
import type { CallArguments, ResolveDeps, Target, TargetName } from './target/resolve.ts';
import { baseUnits } from '../stellar/values.ts';
import type { NotSigned, PaymentEnd, SpendPolicy, Wallet } from './wallet/index.ts';

export interface PaidCallDeps extends ResolveDeps, PurchaseDeps {
  /** Undefined for a server that only searches and makes free calls. */
  wallet: Wallet | undefined;
  policy: SpendPolicy;
  paidIn: PaidIn;
  openPurchases: OpenPurchases;
  now: () => number;
  /** Aborted when the server closes: nothing is signed from then on. */
  closing: AbortSignal;
}

/** The result of a call: structured, with its binary parts as blocks. */
export interface CallResult {
  readonly structured: JsonObject;
  readonly blocks: readonly ContentBlock[];
  readonly isError: boolean;
}

/** Calls a target. If it answers 402, pays within the policy and calls it once more. */
export async function paidCall(
  deps: PaidCallDeps,
  args: CallArguments,
  signal: AbortSignal,
): Promise<CallResult | Failure> {
  const answerBy = deps.now() + CALL_LIMITS.answerWithinMs;
  const remainingMs = (): number => answerBy - deps.now();
  const maxAmount = args.maxAmount === undefined ? undefined : baseUnits(args.maxAmount);
  if (maxAmount === undefined && args.maxAmount !== undefined)
    return new Failure(
      'svc_mcp_invalid_arguments',
      'maxAmount must be a whole number of base units, in plain digits. Nothing was sent and nothing was paid.',
    );
  const call: Call = { key: keyOf(args), maxAmount, patience: { remainingMs, signal } };
  const earlier = await resume(deps, call);
  if (earlier !== undefined) return earlier;

  const target = await resolveTarget(deps, args);
  if (target instanceof Failure) return target;
  const first = await target.exchange.ask(Math.max(1, Math.min(TARGET_LIMITS.probeTimeoutMs, remainingMs())));
  if (first.kind === 'paymentRequired') return buy(deps, call, target, first.required);
  await target.exchange.close();
  if (first.kind === 'delivered')
    return resultOf({ paid: false, receipt: null, ...delivery(target, first) }, first);
  const { errorCode, reason } = first.failure;
  return new Failure(errorCode, `Nothing was paid. ${reason}`);
}

interface Call {
  readonly key: string;
  /** The most to pay, in base units of the chosen asset. */
  readonly maxAmount: bigint | undefined;
  readonly patience: Patience;
}

/**
 * Returns the same key for the same arguments, whatever their order and whatever `maxAmount` is: a call that is
 * repeated with another `maxAmount` must not pay again while a payment is open.
 */
function keyOf({ maxAmount: _, ...asked }: CallArguments): string {
  return JSON.stringify(asked, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/**
 * Returns the outcome of a payment that the same call made before and did not report. Returns undefined if a payment
 * may be made (again); this holds only until the caller awaits something.
 */
async function resume(deps: PaidCallDeps, call: Call): Promise<CallResult | Failure | undefined> {
  const { key, patience } = call;
  const findLeft = () => deps.openPurchases.findLeft(key);
  for (let buying = findLeft(); buying; buying = findLeft()) {
    const bought = await withinPatience(buying, patience);
    if (bought === undefined) return notBegun();
    if (bought instanceof Failure) continue;
    if (bought.purchase.followed.soFar().end?.status === 'unknown') followAgain(deps, bought.purchase);
    const { result, end } = await finish(deps, call, bought, true);
    if (end?.status !== 'notSettled') return result;
  }
  return undefined;
}

function notBegun(): Failure {
  return new Failure(
    'svc_mcp_payment_not_settled',
    'The same call is under way, and has not come to a payment in time. Whether it will be PAID IS NOT KNOWN YET: make the same call again, with the same arguments, to learn its end.',
  );
}

/** Pays, unless the same call has left a payment in the meantime. */
async function buy(
  deps: PaidCallDeps,
  call: Call,
  target: Target,
  required: JsonObject | undefined,
): Promise<CallResult | Failure> {
  const { exchange } = target;
  const earlier = await closingUnless(exchange, resume(deps, call), (told) => told === undefined);
  if (earlier !== undefined) return earlier;
  const { key, patience } = call;
  const buying = deps.openPurchases.begin({ key, signal: patience.signal }, async () => {
    const purchase = await pay(deps, call, target, required);
    return purchase instanceof Failure ? purchase : { target, purchase };
  });
  try {
    const sent = closingUnless(exchange, buying, (bought) => !(bought instanceof Failure));
    const bought = await withinPatience(sent, patience);
    if (bought === undefined) return notBegun();
    return bought instanceof Failure ? bought : (await finish(deps, call, bought, false)).result;
  } finally {
    deps.openPurchases.leave(buying);
  }
}

/** Closes the exchange after the work, unless the result still needs it. */
async function closingUnless<Result>(
  exchange: Exchange,
  work: Promise<Result>,
  isNeeded: (result: Result) => boolean,
): Promise<Result> {
  let isOpen = false;
  try {
    const result = await work;
    isOpen = isNeeded(result);
    return result;
  } finally {
    if (!isOpen) await exchange.close();
  }
}

/** Signs one payment and sends it once. A failure says why nothing was sent. */
async function pay(
  deps: PaidCallDeps,
  { maxAmount, patience }: Call,
  { exchange, listedPrices }: Target,
  required: JsonObject | undefined,
): Promise<Purchase | Failure> {
  const { paidIn, policy, wallet } = deps;
  const callLimit = createCallLimit({ maxAmount, listedPrices });
  const terms = chooseOffer(required, { paidIn, policy, callLimit });
  if (terms instanceof Failure) return terms;
  if (wallet === undefined)
    return new Failure(
      'svc_mcp_wallet_not_configured',
      `The target costs ${terms.amount} base units of ${terms.asset}, and this server has no wallet: CLIENT_STELLAR_PRIVATE_KEY is not set. Nothing was paid.`,
    );
  const tooLate = objection(deps, patience, CALL_LIMITS.minToPayMs);
  if (tooLate !== undefined) return notMade(tooLate);
  const payment = await wallet.sign(terms, () => objection(deps, patience, 0), callLimit);
  if ('refused' in payment) return notSigned(payment);
  const sale = { wallet, exchange, required: required ?? {}, payment };
  return sendPayment(deps, sale, () => objection(deps, patience, 0));
}

function notSigned({ refused, reason }: NotSigned): Failure {
  if (refused === 'policy') return declined(reason);
  if (refused === 'objection') return notMade(reason);
  const hint =
    refused === 'network'
      ? ' Most often the wallet has too little of the asset, or the recipient cannot hold it.'
      : '';
  return new Failure(
    'svc_mcp_payment_not_settled',
    `The payment could not be made. Nothing was sent and nothing was paid.${hint} The reason: ${reason}.`,
  );
}

/** Returns why nothing may be paid any more although the policy allows it; undefined if it may. */
function objection(
  { closing }: PaidCallDeps,
  { signal, remainingMs }: Patience,
  neededMs: number,
): string | undefined {
  if (signal.aborted) return 'the call was cancelled';
  if (closing.aborted) return 'the server is closing';
  return remainingMs() < neededMs ? 'the time of this call is over; make it again' : undefined;
}

function notMade(why: string): Failure {
  return new Failure(
    'svc_mcp_internal_error',
    `The payment was not made: ${why}. Nothing was signed and nothing was paid.`,
  );
}

/**
 * Returns the result of a call that paid. If the result is not final, or the host no longer waits for it, the purchase
 * stays open for the same call made again, unless it can never be paid.
 */
async function finish(
  deps: PaidCallDeps,
  { patience }: Call,
  bought: Bought,
  isEarlier: boolean,
): Promise<Told> {
  try {
    const told = tell(deps.network, bought, await awaitOutcome(bought.purchase, patience), isEarlier);
    const isTold = !told.isOpen && !patience.signal.aborted;
    if (isTold || told.end?.status === 'notSettled') deps.openPurchases.forget(bought);
    return told;
  } catch (error) {
    // Even if this server fails, it must not look as if nothing had been paid.
    deps.log.error({ err: error }, 'a call failed after its payment was sent');
    return tellFault(deps.network, bought);
  }
}

interface Told {
  readonly result: CallResult;
  /** Undefined if the ledger has not decided. */
  readonly end: PaymentEnd | undefined;
  /** True for a failure that is not final. */
  readonly isOpen: boolean;
}

function tell(network: string, { target, purchase }: Bought, outcome: Outcome, isEarlier: boolean): Told {
  const { answer, end } = outcome;
  const { payment, receipt, failure } = reportOn(purchase, outcome, network);
  const delivered = answer?.kind === 'paymentRequired' ? undefined : answer;
  const about = {
    paid: isPaid(end),
    payment: { ...payment },
    receipt,
    ...(isEarlier && { fromEarlierCall: true }),
    ...delivery(target, delivered),
  };
  if (failure === undefined) return { result: resultOf(about, delivered), end, isOpen: false };
  const { errorCode, reason } = failure;
  const result = { ...resultOf({ errorCode, reason, ...about }, delivered), isError: true };
  const isDecided = end?.status === 'notSettled' || (end?.status === 'settled' && answer !== undefined);
  return { result, end, isOpen: !isDecided };
}

/** Returns null if not known. */
function isPaid(end: PaymentEnd | undefined): boolean | null {
  return end === undefined || end.status === 'unknown' ? null : end.status === 'settled';
}

function tellFault(network: string, { purchase }: Bought): Told {
  const { payment } = reportOn(purchase, { answer: undefined, end: undefined }, network);
  const reason = 'This server failed after the payment was sent. Make the same call again to learn its end.';
  const structured = { errorCode: 'svc_mcp_internal_error', reason, paid: null, payment: { ...payment } };
  return { result: { structured, blocks: [], isError: true }, end: undefined, isOpen: true };
}

type Delivered = Exclude<PaidAnswer, { kind: 'paymentRequired' }> | undefined;

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

function resultOf(structured: JsonObject, delivered: Delivered): CallResult {
  return { structured, blocks: delivered?.content?.blocks ?? [], isError: false };
}
