import type { ListedPrices, PaidIn } from '../catalog/prices.ts';
import { Failure } from '../codes.ts';
import type { JsonObject } from '../json.ts';
import type { Target } from '../target/resolve.ts';
import { isRefusal, type Refusal, type Wallet } from '../wallet/index.ts';
import { approve, type ApprovalDeps, type AskPerson } from './approval.ts';
import { createCallLimit } from './callLimit.ts';
import { chooseOffer, declined } from './offer.ts';
import { sendPayment, type Purchase, type PurchaseDeps } from './purchase.ts';
import type { Patience } from './waiting.ts';

export interface PayDeps extends PurchaseDeps, Omit<ApprovalDeps, 'limits'> {
  /** Undefined for a server that only searches and makes free calls. */
  wallet: Wallet | undefined;
  paidIn: PaidIn;
  /** Aborted when the server closes: nothing is signed from then on. */
  closing: AbortSignal;
}

/** A 402, and what may be paid for it. */
export interface Demand {
  /** Names the call that it answers: the same for the same arguments. */
  readonly call: string;
  readonly seller: Target;
  readonly askPerson: AskPerson;
  /** The content of the 402, undefined if it cannot be read. */
  readonly required: JsonObject | undefined;
  readonly listedPrices: ListedPrices | undefined;
  /** The most to pay, in base units of the chosen asset. */
  readonly maxAmount: bigint | undefined;
}

/** Signs one payment and sends it once. A failure says why nothing was sent. */
export async function pay(deps: PayDeps, demand: Demand, patience: Patience): Promise<Purchase | Failure> {
  const { paidIn, policy, wallet, limits } = deps;
  const { seller, required, listedPrices, maxAmount } = demand;
  const limit = createCallLimit({ maxAmount, listedPrices }, limits);
  const call = { host: new URL(seller.resource).hostname, limit };
  const terms = chooseOffer(required, { paidIn, policy, call });
  if (terms instanceof Failure) return terms;
  if (wallet === undefined)
    return new Failure(
      'svc_mcp_wallet_not_configured',
      `The target costs ${terms.amount} base units of ${terms.asset}, and this server has no wallet: CLIENT_STELLAR_PRIVATE_KEY is not set. Nothing was paid.`,
    );
  const tooLate = objection(deps, patience, limits.minToPayMs);
  if (tooLate !== undefined) return notMade(tooLate);
  const notApproved = await approve(deps, { ...demand, terms }, patience);
  if (notApproved !== undefined) return notApproved;
  const payment = await wallet.sign(terms, () => objection(deps, patience, 0), call);
  if (isRefusal(payment)) return notSigned(payment);
  const sale = { wallet, exchange: seller.exchange, required: required ?? {}, payment };
  return sendPayment(deps, sale, () => objection(deps, patience, 0));
}

/** Returns why nothing may be paid any more although the policy allows it; undefined if it may. */
function objection(
  { closing }: PayDeps,
  { signal, remainingMs }: Patience,
  neededMs: number,
): string | undefined {
  if (signal.aborted) return 'the call was cancelled';
  if (closing.aborted) return 'the server is closing';
  return remainingMs() < neededMs ? 'this call has too little time left; make it again' : undefined;
}

function notSigned({ code, message }: Refusal): Failure {
  if (code === 'policy') return declined(message);
  if (code === 'objection') return notMade(message);
  const hint =
    code === 'network'
      ? ' Most often the wallet has too little of the asset, or the recipient cannot hold it.'
      : '';
  return new Failure(
    'svc_mcp_payment_not_settled',
    `The payment could not be made. Nothing was sent and nothing was paid.${hint} The reason: ${message}.`,
  );
}

function notMade(why: string): Failure {
  return new Failure(
    'svc_mcp_internal_error',
    `The payment was not made: ${why}. Nothing was signed and nothing was paid.`,
  );
}
