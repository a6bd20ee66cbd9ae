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
  /** Another one once the ledger could not be asked for too long. */
  followed: Followed;
}

export interface PurchaseDeps {
  network: Network;
  follow(payment: SignedPayment): Followed;
  log: McpLog;
}

/** Sends a signed payment, once. From here on money may move, whatever is answered. */
export function sendPayment(
  deps: PurchaseDeps,
  exchange: Exchange,
  required: JsonObject,
  payment: SignedPayment,
): Purchase {
  const { network, log } = deps;
  const { terms, payer, transaction } = payment;
  // Before it is sent: whatever becomes of this process, the payment is on record.
  log.info(recordOf(payment, network), 'payment signed');
  const followed = followToEnd(deps, payment);
  const receiptOf = (answer: Answer): Receipt => readReceipt(answer.receipt, { network, payer });
  const payload = paymentPayload(required, terms.accepted as JsonObject, transaction);
  const answered = exchange.ask(payload).then((answer) => {
    const receipt = receiptOf(answer);
    followed.hurry(receipt.kind === 'success' ? receipt.transaction : undefined);
    void exchange.close();
    return answer;
  });
  return { payment, answered, receiptOf, followed };
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
