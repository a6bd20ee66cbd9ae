import { Failure } from '../codes.ts';
import { textAt } from '../json.ts';
import { quoted } from '../words.ts';
import type { PaymentEnd } from '../wallet/index.ts';
import type { PaidAnswer, Purchase } from './purchase.ts';
import { codeOfRefusal, type Receipt } from './receipt.ts';
import type { Outcome } from './waiting.ts';

/** Reports on a payment. A call has this report whenever a payment was signed. */
export interface PaymentReport {
  /** `settled`: it was paid. `notSettled`: it was not, and will not be. `unknown`: it may have been, or may yet be. */
  readonly status: PaymentEnd['status'];
  /** The transaction that paid, as the ledger shows it; null if not known. */
  readonly transaction: string | null;
  /** True when the receipt's transaction was found on the ledger, with this wallet's own authorization. */
  readonly receiptChecked: boolean;
  /** The latest ledger that showed the payment not taken; null if it was taken, or no ledger was seen. */
  readonly openAtLedger: number | null;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly payer: string;
  readonly network: string;
  /** After this ledger, the payment can no longer be taken. */
  readonly validUntilLedger: number;
  /** About how long the payment can still be taken, in seconds; null if it can not be, or if that is not known. */
  readonly expiresInSeconds: number | null;
}

/** Names the transaction that paid. */
export interface ReceiptFields {
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
}

export interface Report {
  readonly payment: PaymentReport;
  /** What the target claims and the ledger confirms. */
  readonly receipt: ReceiptFields | null;
  /** What the target claims and the ledger does not confirm, or not yet. */
  readonly claimedReceipt: ReceiptFields | undefined;
  /** Undefined if there is a receipt, no MCP tool failed, and the target does not ask to be paid again. */
  readonly failure: Failure | undefined;
}

/** Reports on a purchase, by what its target answered and what the ledger shows. */
export function reportOn(purchase: Purchase, outcome: Outcome, network: string): Report {
  const { answer, end } = outcome;
  const { payment, receiptOf } = purchase;
  const { terms, payer, validUntilLedger } = payment;
  const receipt: Receipt = answer === undefined ? { kind: 'none' } : receiptOf(answer);
  const claimed = receipt.kind === 'success' ? receipt.transaction : undefined;
  const settledBy = end?.status === 'settled' ? end.transaction : undefined;
  const isChecked = claimed !== undefined && settledBy === claimed;
  const about: PaymentReport = {
    status: end?.status ?? 'unknown',
    transaction: settledBy ?? null,
    receiptChecked: isChecked,
    ...openness(purchase, end),
    amount: String(terms.amount),
    asset: terms.asset,
    payTo: terms.payTo,
    payer,
    network,
    validUntilLedger,
  };
  const claim = claimed === undefined ? undefined : { transaction: claimed, network, payer };
  const confirmed = isChecked && claim !== undefined ? claim : null;
  const isGood = confirmed !== null && answer !== undefined && hasDelivered(answer);
  const failure = isGood ? undefined : failureOf(outcome, receipt, about);
  return { payment: about, receipt: confirmed, claimedReceipt: isChecked ? undefined : claim, failure };
}

/** Says what the ledger showed of a payment that may still be taken, and for how long it may be. */
function openness(
  { followed }: Purchase,
  end: PaymentEnd | undefined,
): Pick<PaymentReport, 'openAtLedger' | 'expiresInSeconds'> {
  const { openAtLedger, expiresInMs } = followed.soFar();
  const isOver = end?.status === 'settled' || end?.status === 'notSettled';
  return {
    openAtLedger: end?.status === 'settled' ? null : (openAtLedger ?? null),
    expiresInSeconds: isOver || expiresInMs === undefined ? null : Math.ceil(expiresInMs / 1000),
  };
}

function hasDelivered(answer: PaidAnswer): boolean {
  return answer.kind !== 'paymentRequired' && toolFailure(answer) === undefined;
}

/** Returns the failure of a tool, whether or not it was paid. */
function toolFailure(answer: PaidAnswer): Failure | undefined {
  const failed = answer.kind === 'failed' ? answer.failure : undefined;
  return failed?.code === 'svc_mcp_tool_call_failed' ? failed : undefined;
}

function failureOf(outcome: Outcome, receipt: Receipt, about: PaymentReport): Failure {
  const { answer } = outcome;
  const code =
    (receipt.kind === 'failure' ? receipt.code : undefined) ??
    (answer?.kind === 'paymentRequired' ? codeOfRefusal(answer.required) : undefined) ??
    (answer === undefined ? undefined : toolFailure(answer)?.code);
  // The target's words come last, so that nothing of ours follows them.
  const ofMoney = money(outcome, about);
  const sentences = [said(answer, receipt), ...ofMoney, ...theirWords(answer, receipt)];
  return new Failure(code ?? 'svc_mcp_payment_not_settled', sentences.join(' '));
}

/** Says what the target answered to the payment. */
function said(answer: PaidAnswer | undefined, receipt: Receipt): string {
  if (answer === undefined) return 'The payment was sent, and the target has not answered yet.';
  if (answer.kind === 'notSent')
    return 'The payment was signed and shown to the Stellar RPC, and not sent to the target.';
  if (receipt.kind === 'failure') return 'The payment was sent, and the target says that it failed.';
  if (answer.kind === 'paymentRequired') return 'The payment was sent, and the target asks to be paid again.';
  if (answer.kind === 'failed') return 'The payment was sent, and the call failed.';
  if (receipt.kind === 'malformed')
    return `The target delivered with an invalid receipt: ${receipt.problem}.`;
  if (receipt.kind === 'none') return 'The target delivered without a receipt.';
  return 'The target delivered with a receipt that the ledger does not confirm.';
}

function theirWords(answer: PaidAnswer | undefined, receipt: Receipt): string[] {
  if (answer?.kind === 'notSent') return [`It was not sent: ${answer.why}.`];
  if (receipt.kind === 'failure') return [`The target says: ${quoted(receipt.text)}.`];
  if (answer?.kind === 'failed') return [answer.failure.message];
  const error = answer?.kind === 'paymentRequired' ? textAt(answer.required, 'error') : undefined;
  return error === undefined ? [] : [`The target says: ${quoted(error)}.`];
}

/** Says whether money moved, and what to do. */
function money({ answer, end }: Outcome, about: PaymentReport): string[] {
  const paid = `${about.amount} base units of ${about.asset} to ${about.payTo}`;
  switch (end?.status) {
    case 'settled':
      return [
        `The ledger shows that ${paid} WERE PAID${end.transaction ? ` in transaction ${end.transaction}` : ''}.`,
        answer === undefined
          ? 'Make the same call again, with the same arguments, to get its result: that does not pay again.'
          : 'Calling again would pay again.',
      ];
    case 'notSettled':
      return [`NOTHING WAS PAID: the authorization expired unused after ledger ${about.validUntilLedger}.`];
    default: {
      const { openAtLedger, expiresInSeconds, validUntilLedger } = about;
      const seen =
        openAtLedger === null ? 'the ledger does not answer' : `not paid as of ledger ${openAtLedger}`;
      const left = expiresInSeconds === null ? '' : `, for about ${expiresInSeconds} s`;
      return [
        `It is NOT KNOWN YET whether ${paid} are paid: ${seen}; the authorization holds until ledger ${validUntilLedger}${left}.`,
        'Make the same call again, with the same arguments, to learn the outcome: it continues this payment, and makes another only once this one can no longer be paid.',
      ];
    }
  }
}
