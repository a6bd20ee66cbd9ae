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
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly payer: string;
  readonly network: string;
  /** After this ledger, the payment can no longer be taken. */
  readonly validUntilLedger: number;
}

export interface Report {
  readonly payment: PaymentReport;
  /** A receipt that is passed on: checked, or impossible to check because the ledger does not answer. */
  readonly receipt: { transaction: string; network: string; payer: string } | null;
  /** Undefined if a receipt is passed on, no MCP tool failed, and the target does not ask to be paid again. */
  readonly failure: Failure | undefined;
}

/** Reports on a purchase, by what its target answered and what the ledger shows. */
export function reportOn(purchase: Purchase, outcome: Outcome, network: string): Report {
  const { answer, end } = outcome;
  const { payment, receiptOf, followed } = purchase;
  const { terms, payer, validUntilLedger } = payment;
  const receipt: Receipt = answer === undefined ? { kind: 'none' } : receiptOf(answer);
  const claimed = receipt.kind === 'success' ? receipt.transaction : undefined;
  const settledBy = end?.status === 'settled' ? end.transaction : undefined;
  const isChecked = claimed !== undefined && settledBy === claimed;
  const about: PaymentReport = {
    status: end?.status ?? 'unknown',
    transaction: settledBy ?? null,
    receiptChecked: isChecked,
    amount: String(terms.amount),
    asset: terms.asset,
    payTo: terms.payTo,
    payer,
    network,
    validUntilLedger,
  };
  const isPassedOn = isChecked || isUncheckable(end, followed.soFar().isLedgerSilent);
  const passedOn = isPassedOn && claimed !== undefined ? { transaction: claimed, network, payer } : null;
  const isGood = passedOn !== null && answer !== undefined && hasDelivered(answer);
  const failure = isGood ? undefined : failureOf(purchase, outcome, receipt, about);
  return { payment: about, receipt: passedOn, failure };
}

/** True when the ledger tells nothing of a receipt, neither for it nor against it. */
function isUncheckable(end: PaymentEnd | undefined, isLedgerSilent: boolean): boolean {
  if (end?.status === 'settled') return end.transaction === undefined && end.claim === 'unchecked';
  return end?.status !== 'notSettled' && isLedgerSilent;
}

function hasDelivered(answer: PaidAnswer): boolean {
  return answer.kind !== 'paymentRequired' && toolFailure(answer) === undefined;
}

/** Returns the failure of a tool, whether or not it was paid. */
function toolFailure(answer: PaidAnswer): Failure | undefined {
  const failed = answer.kind === 'failed' ? answer.failure : undefined;
  return failed?.code === 'svc_mcp_tool_call_failed' ? failed : undefined;
}

function failureOf(
  purchase: Purchase,
  { answer, end }: Outcome,
  receipt: Receipt,
  about: PaymentReport,
): Failure {
  const code =
    (receipt.kind === 'failure' ? receipt.code : undefined) ??
    (answer?.kind === 'paymentRequired' ? codeOfRefusal(answer.required) : undefined) ??
    (answer === undefined ? undefined : toolFailure(answer)?.code);
  // The target's words come last, so that nothing of ours follows them.
  const ofMoney = money(purchase, { answer, end }, about);
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
function money({ followed }: Purchase, { answer, end }: Outcome, about: PaymentReport): string[] {
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
      const { openAtLedger } = followed.soFar();
      const seen =
        openAtLedger === undefined ? 'the ledger does not answer' : `not paid as of ledger ${openAtLedger}`;
      return [
        `It is NOT KNOWN YET whether ${paid} are paid: ${seen}; the authorization holds until ledger ${about.validUntilLedger}.`,
        'Make the same call again, with the same arguments, to learn the outcome: it continues this payment, and makes another only once this one can no longer be paid.',
      ];
    }
  }
}
