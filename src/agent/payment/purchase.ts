import type { JsonObject } from '../json.ts';
import { TARGET_LIMITS } from '../limits.ts';
import type { McpLog } from '../log.ts';
import type { Answer, Exchange } from '../target/answer.ts';
import type { Followed, SignedPayment, Wallet } from '../wallet/index.ts';
import type { Network } from '../../stellar/networks.ts';
import { paymentPayload } from './offer.ts';
import { readReceipt } from './receipt.ts';
import type { Receipt } from './receipt.ts';

/** A payment that was signed, and what comes of it. It goes on when nobody waits any more. */
export interface Purchase {
  readonly payment: SignedPayment;
  readonly answered: Promise<PaidAnswer>;
  /** The receipt in an answer. */
  receiptOf(answer: PaidAnswer): Receipt;
  /** Another one once the ledger could not be asked for too long. */
  followed: Followed;
}

export type PaidAnswer = Answer | NotSent;

/** The target never got the payment. The RPC saw its signature all the same, so that it may have been taken. */
export interface NotSent {
  readonly kind: 'notSent';
  readonly why: string;
  readonly status: null;
  readonly content: null;
  readonly receipt: undefined;
}

export interface PurchaseDeps {
  network: Network;
  follow(payment: SignedPayment): Followed;
  log: McpLog;
}

/** What is sent, and where. */
export interface Sale {
  wallet: Wallet;
  exchange: Exchange;
  required: JsonObject;
  payment: SignedPayment;
}

/** Sends a signed payment, once, unless there is an objection by then. Money may move from here on, whatever is answered. */
export function sendPayment(deps: PurchaseDeps, sale: Sale, objection: () => string | undefined): Purchase {
  const { network, log } = deps;
  const { exchange, payment } = sale;
  const { payer } = payment;
  // Before anybody sees it: whatever becomes of this process, the payment is on record.
  log.info(recordOf(payment, network), 'payment signed');
  const followed = followToEnd(deps, payment);
  const receiptOf = (answer: PaidAnswer): Receipt => readReceipt(answer.receipt, { network, payer });
  const answered = send(deps, sale, objection).then((answer) => {
    const receipt = receiptOf(answer);
    followed.hurry(receipt.kind === 'success' ? receipt.transaction : undefined);
    void exchange.close();
    return answer;
  });
  return { payment, answered, receiptOf, followed };
}

/** Never rejects. */
async function send(
  { log }: PurchaseDeps,
  { wallet, exchange, required, payment }: Sale,
  objection: () => string | undefined,
): Promise<PaidAnswer> {
  try {
    const assembled = await wallet.assemble(payment);
    if ('problem' in assembled) return notSent(assembled.problem);
    const reason = objection();
    if (reason !== undefined) return notSent(reason);
    const accepted = payment.terms.accepted as JsonObject;
    const payload = paymentPayload(required, accepted, assembled.transaction);
    return await exchange.ask(TARGET_LIMITS.paidTimeoutMs, payload);
  } catch (error) {
    log.error({ err: error }, 'a payment was signed and could not be sent');
    return notSent('the tool server failed');
  }
}

function notSent(why: string): NotSent {
  return { kind: 'notSent', why, status: null, content: null, receipt: undefined };
}

/** Follows it anew, where the ledger could not be asked for too long. */
export function followAgain(deps: PurchaseDeps, purchase: Purchase): void {
  purchase.followed = followToEnd(deps, purchase.payment);
  purchase.followed.hurry();
}

/** Follows a payment, also when nobody waits any more; what is certainly unpaid goes back into the budget. */
function followToEnd({ network, follow, log }: PurchaseDeps, payment: SignedPayment): Followed {
  const followed = follow(payment);
  void followed.ended.then((end) => {
    if (end.status === 'notSettled') payment.reservation.giveBack();
    log.info({ ...recordOf(payment, network), ...end }, 'payment ended');
  });
  return followed;
}

function recordOf({ terms, payer, nonce, validUntilLedger }: SignedPayment, network: Network): object {
  const { amount, asset, payTo } = terms;
  return { amount, asset, payTo, payer, network, nonce, validUntilLedger };
}
