import { baseUnits } from '../stellar/values.ts';
import { faultResult, freeResult, paidResult, type CallResult, type PaidResult } from './callResult.ts';
import type { Caller } from './caller.ts';
import { Failure, invalidArguments } from './codes.ts';
import type { JsonObject } from './json.ts';
import type { Bought, OpenPurchases } from './payment/openPurchases.ts';
import { pay, type PayDeps } from './payment/pay.ts';
import { followAgain } from './payment/purchase.ts';
import { awaitOutcome, withinPatience } from './payment/waiting.ts';
import type { Exchange } from './target/answer.ts';
import { resolveTarget, type CallArguments, type ResolveDeps, type Target } from './target/resolve.ts';

export interface PaidCallDeps extends ResolveDeps, PayDeps {
  openPurchases: OpenPurchases;
}

interface Call extends Caller {
  readonly key: string;
  /** The most to pay, in base units of the chosen asset. */
  readonly maxAmount: bigint | undefined;
}

/** Calls a target. If it answers 402, pays within the policy and calls it once more. */
export async function paidCall(
  deps: PaidCallDeps,
  args: CallArguments,
  caller: Caller,
): Promise<CallResult | Failure> {
  const maxAmount = args.maxAmount === undefined ? undefined : baseUnits(args.maxAmount);
  if (maxAmount === undefined && args.maxAmount !== undefined)
    return invalidArguments('maxAmount must be a whole number of base units, in plain digits.');
  const call: Call = { key: keyOf(args), maxAmount, ...caller };
  const { patience } = call;
  const earlier = await resume(deps, call);
  if (earlier !== undefined) return earlier;

  const target = await resolveTarget(deps, args);
  if (target instanceof Failure) return target;
  const first = await target.exchange.ask(
    Math.max(1, Math.min(deps.limits.probeTimeoutMs, patience.remainingMs())),
  );
  if (first.kind === 'paymentRequired') return buy(deps, call, target, first.required);
  await target.exchange.close();
  if (first.kind === 'delivered') return freeResult(target, first);
  const { code, message } = first.failure;
  return new Failure(code, `Nothing was paid. ${message}`);
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
    // A target that claims to be paid is told of before it is paid again.
    if (end?.status !== 'notSettled' || bought.purchase.claimed() !== undefined) return result;
  }
  return undefined;
}

function notBegun(): Failure {
  return new Failure(
    'svc_mcp_payment_not_settled',
    'The same call is under way, and has not come to a payment in time. Whether it will be PAID IS NOT KNOWN YET: make the same call again, with the same arguments, to learn its outcome.',
  );
}

/** Pays, unless the same call has left a payment in the meantime. */
async function buy(
  deps: PaidCallDeps,
  call: Call,
  target: Target,
  required: JsonObject | undefined,
): Promise<CallResult | Failure> {
  const { exchange, listedPrices } = target;
  const earlier = await closingUnless(exchange, resume(deps, call), (told) => told === undefined);
  if (earlier !== undefined) return earlier;
  const { key, patience, maxAmount, askPerson, delivered } = call;
  const buying = deps.openPurchases.begin({ key, signal: patience.signal }, async () => {
    const purchase = await pay(
      deps,
      { call: key, seller: target, required, listedPrices, maxAmount, askPerson },
      patience,
    );
    return purchase instanceof Failure ? purchase : { target, purchase };
  });
  let isFinal = false;
  try {
    const sent = closingUnless(exchange, buying, (bought) => !(bought instanceof Failure));
    const bought = await withinPatience(sent, patience);
    if (bought === undefined) return notBegun();
    if (bought instanceof Failure) return bought;
    const { result, isOpen } = await finish(deps, call, bought, false);
    isFinal = !isOpen;
    return result;
  } finally {
    // A result that is not final asks for the same call again, which may come before this result counts as delivered.
    if (isFinal) void delivered.then(() => deps.openPurchases.leave(buying));
    else deps.openPurchases.leave(buying);
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

/**
 * Returns the result of a call that paid. If the result is not final, or the host no longer waits for it, the purchase
 * stays open for the same call made again, unless it can never be paid.
 */
async function finish(
  { network, limits, openPurchases, log }: PaidCallDeps,
  { patience, delivered }: Call,
  bought: Bought,
  isEarlier: boolean,
): Promise<PaidResult> {
  try {
    const outcome = await awaitOutcome(bought.purchase, patience, limits);
    const paid = paidResult(network, bought, outcome, isEarlier);
    if (paid.end?.status === 'notSettled') openPurchases.forget(bought);
    if (!paid.isOpen) openPurchases.answer(bought, patience.signal);
    // What never reached the host was not told: the same call made again tells it.
    void delivered.then(() => {
      if (!paid.isOpen && !patience.signal.aborted) openPurchases.forget(bought);
    });
    return paid;
  } catch (error) {
    log.error({ err: error }, 'a call failed after its payment was sent');
    return faultResult(network, bought);
  }
}
