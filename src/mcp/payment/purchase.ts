import type { JsonObject } from '../json.ts';
import type { McpLog } from '../log.ts';
import type { Answer, Exchange } from '../target/answer.ts';
import type { Followed, Network, SignedPayment } from '../../wallet/index.ts';
import { paymentPayload } from './offer.ts';
import { readReceipt } from './receipt.ts';
import type { Receipt } from './receipt.ts';

/** A payment that was sent to its target, and what comes of it. It goes on when nobody waits any more. */
export interface Purchase {
  readonly payment: SignedPayment;
  readonly answered: Promise<Answer>;
  /** The receipt in an answer. */
  receiptOf(answer: Answer): Receipt;
  readonly followed: Followed;
}

export interface PurchaseDeps {
  network: Network;
  follow(payment: SignedPayment): Followed;
  log: McpLog;
}

/** Sends a signed payment, once. From here on money may move, whatever is answered. */
export function sendPayment(
  { network, follow, log }: PurchaseDeps,
  exchange: Exchange,
  required: JsonObject,
  payment: SignedPayment,
): Purchase {
  const { terms, payer, nonce, validUntilLedger, reservation } = payment;
  const { amount, asset, payTo } = terms;
  const about = { amount, asset, payTo, payer, network, nonce, validUntilLedger };
  // Before it is sent: whatever becomes of this process, the payment is on record.
  log.info(about, 'payment signed');
  const accepted = terms.accepted as JsonObject;
  const payload = paymentPayload(required, accepted, payment.transaction);
  const followed = follow(payment);
  const receiptOf = (answer: Answer): Receipt => readReceipt(answer.receipt, { network, payer });
  const answered = exchange.ask(payload).then((answer) => {
    const receipt = receiptOf(answer);
    followed.hurry(receipt.kind === 'success' ? receipt.transaction : undefined);
    void exchange.close();
    return answer;
  });
  void followed.ended.then((end) => {
    if (end.status === 'notSettled') reservation.giveBack();
    log.info({ ...about, ...end }, 'payment ended');
  });
  return { payment, answered, receiptOf, followed };
}

/** Follows it anew, where the ledger could not be asked for too long. */
export function followAgain(deps: PurchaseDeps, purchase: Purchase): Purchase {
  const followed = deps.follow(purchase.payment);
  void followed.ended.then(({ status }) => {
    if (status === 'notSettled') purchase.payment.reservation.giveBack();
  });
  followed.hurry();
  return { ...purchase, followed };
}
