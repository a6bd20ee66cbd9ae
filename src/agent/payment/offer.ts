import type { PaidIn } from '../catalog/prices.ts';
import { Failure } from '../codes.ts';
import type { JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import {
  byPreference,
  isRefusal,
  readTerms,
  type SpendingCall,
  type SpendPolicy,
  type Terms,
} from '../wallet/index.ts';

const X402_VERSION = 2;

/** The inputs of {@link chooseOffer}. */
export interface Choice {
  paidIn: PaidIn;
  policy: SpendPolicy;
  call: SpendingCall;
}

/**
 * Chooses the offer of a 402 to pay: the cheapest one in the first of the wallet's assets that has any. Considers only
 * offers that are exact, on the wallet's own network, and allowed.
 */
export function chooseOffer(
  required: JsonObject | undefined,
  { paidIn, policy, call }: Choice,
): Terms | Failure {
  const { network, allowedAssets } = paidIn;
  if (required === undefined) return unreadable('it cannot be read');
  const { x402Version, accepts } = required;
  if (x402Version !== X402_VERSION) return unreadable(`it is not of x402 version ${X402_VERSION}`);
  if (!Array.isArray(accepts) || accepts.length === 0) return unreadable('it names no terms');

  const offers = accepts.slice(0, TARGET_LIMITS.maxOffers).map((entry) => readTerms(entry, network));
  const payable = offers.filter((offer): offer is Terms => !isRefusal(offer));
  const preferred = byPreference(payable, allowedAssets);
  const [best] = preferred;
  if (best === undefined) {
    const unfit = offers.flatMap((offer) => (isRefusal(offer) ? `one ${offer.message}` : []));
    const reasons = [...unfit, ...payable.slice(0, 1).flatMap((offer) => policy.objection(offer) ?? [])];
    return declined(`none of its offers can be paid by this wallet: ${[...new Set(reasons)].join(', ')}`);
  }
  const chosen = preferred.find((offer) => policy.objection(offer, call) === undefined);
  if (chosen === undefined) return declined(policy.objection(best, call) ?? '');
  const echo = JSON.stringify(paymentPayload(required, chosen.accepted as JsonObject, ''));
  if (Buffer.byteLength(echo) > TARGET_LIMITS.maxEchoBytes)
    return unreadable(`a payment would have to repeat more than ${TARGET_LIMITS.maxEchoBytes} bytes of it`);
  return chosen;
}

/** Builds the payment for a 402, which repeats the 402's `resource` and `extensions`. */
export function paymentPayload(required: JsonObject, accepted: JsonObject, transaction: string): JsonObject {
  const { resource, extensions } = required;
  return {
    x402Version: X402_VERSION,
    ...(resource !== undefined && resource !== null && { resource }),
    accepted,
    payload: { transaction },
    ...(extensions !== undefined && extensions !== null && { extensions }),
  };
}

function unreadable(why: string): Failure {
  return new Failure(
    'svc_mcp_resource_error',
    `The target wants to be paid, but its 402 makes no sense: ${why}. Nothing was paid.`,
  );
}

export function declined(why: string): Failure {
  return new Failure(
    'svc_mcp_payment_declined_by_policy',
    `The payment is declined: ${why}. Nothing was signed and nothing was paid.`,
  );
}
