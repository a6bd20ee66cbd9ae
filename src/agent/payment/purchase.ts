import type { JsonObject } from '../json.ts';
import type { AgentLimits } from '../limits.ts';
import type { Answer, Exchange } from '../target/answer.ts';
import { isRefusal, type Followed, type SignedPayment, type Wallet } from '../wallet/index.ts';
import type { Log } from '../../log/log.ts';
import type { Network } from '../../stellar/networks.ts';
import { paymentPayload } from './offer.ts';
import { readReceipt, type Receipt } from './receipt.ts';

/** A signed payment and its outcome. It continues even if nobody waits for it any more. */
export interface Purchase {
  readonly payment: SignedPayment;
  readonly answered: Promise<PaidAnswer>;
  /** Reads the receipt in an answer. */
  receiptOf(answer: PaidAnswer): Receipt;
  /** Returns the transaction that the target says has paid; undefined if it has not said so yet. */
  claimed(): string | undefined;
  /** Replaced when the ledger was silent for too long. */
  followed: Followed;
}

export type PaidAnswer = Answer | NotSent;

/** The payment was not sent to the target. The RPC may have seen its signature, so it may have been taken. */
export interface NotSent {
  readonly kind: 'notSent';
  readonly why: string;
  readonly status: undefined;
  readonly content: undefined;
  readonly receipt: undefined;
}

export interface PurchaseDeps {
  network: Network;
  follow(payment: SignedPayment): Followed;
  log: Log;
  limits: AgentLimits;
}

/** A signed payment, and the exchange to send it through. */
export interface Sale {
  wallet: Wallet;
  exchange: Exchange;
  required: JsonObject;
  payment: SignedPayment;
}

/** Sends a signed payment once, unless there is an objection. From here on, money may move whatever the answer is. */
export function sendPayment(deps: PurchaseDeps, sale: Sale, objection: () => string | undefined): Purchase {
  const { network, log } = deps;
  const { exchange, payment } = sale;
  const { payer } = payment;
  // Logged before anybody sees the payment: it stays on record whatever happens to this process.
  log.info(recordOf(payment, network), 'payment signed');
  const followed = followToEnd(deps, payment);
  const receiptOf = (answer: PaidAnswer): Receipt => readReceipt(answer.receipt, { network, payer });
  let claimed: string | undefined;
  const answered = send(deps, sale, objection).then((answer) => {
    const receipt = receiptOf(answer);
    claimed = receipt.kind === 'success' ? receipt.transaction : undefined;
    followed.hurry(claimed);
    void exchange.close();
    return answer;
  });
  return { payment, answered, receiptOf, claimed: () => claimed, followed };
}

/** Never rejects. */
async function send(
  { log, limits }: PurchaseDeps,
  { wallet, exchange, required, payment }: Sale,
  objection: () => string | undefined,
): Promise<PaidAnswer> {
  try {
    const assembled = await wallet.assemble(payment);
    if (isRefusal(assembled)) return notSent(assembled.message);
    const reason = objection();
    if (reason !== undefined) return notSent(reason);
    const accepted = payment.terms.accepted as JsonObject;
    const payload = paymentPayload(required, accepted, assembled.transaction);
    return await exchange.ask(limits.paidTimeoutMs, payload);
  } catch (error) {
    log.error({ err: error }, 'a payment was signed and could not be sent');
    return notSent('the tool server failed');
  }
}

function notSent(why: string): NotSent {
  return { kind: 'notSent', why, status: undefined, content: undefined, receipt: undefined };
}

/** Follows a payment again after the ledger was silent for too long. */
export function followAgain(deps: PurchaseDeps, purchase: Purchase): void {
  purchase.followed = followToEnd(deps, purchase.payment);
  purchase.followed.hurry(purchase.claimed());
}

/** Follows a payment, even if nobody waits for it. Returns its amount to the budget if it is certainly unpaid. */
function followToEnd({ network, follow, log }: PurchaseDeps, payment: SignedPayment): Followed {
  const followed = follow(payment);
  void followed.ended.then((end) => {
    if (end.status === 'notSettled') payment.reservation.giveBack();
    const by = end.status === 'settled' && { transaction: end.transaction ?? null };
    log.info({ ...recordOf(payment, network), ...end, ...by }, 'payment ended');
  });
  return followed;
}

function recordOf({ terms, payer, nonce, validUntilLedger }: SignedPayment, network: Network): object {
  const { amount, asset, payTo } = terms;
  return { amount: String(amount), asset, payTo, payer, network, nonce: String(nonce), validUntilLedger };
}
