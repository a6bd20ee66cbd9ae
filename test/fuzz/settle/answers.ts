import type { BazaarOutcome, SettleResponse, VerifyResponse } from '../../../src/contract/index.ts';
import { claimOf, isNamed, untrueAnswer } from '../../world/oracle/answers.ts';
import type { Payment } from './payments.ts';
import type { Instance } from './instances.ts';
import type { Sent } from './transactions.ts';

/** Somebody's request to settle a payment, and what became of it. */
export interface Call {
  readonly payment: Payment;
  /** Which instance was asked, and when; later if that was paused meanwhile. */
  readonly instance: Instance;
  askedAtMs: number;
  /** What was sent for it, oldest first. */
  readonly sent: Sent[];
  answer?: SettleResponse;
  /** The process died before it answered. */
  isLost?: boolean;
}

/**
 * Holds an answer to the ledger as it is now, and what may come later to the answer: whatever it does not leave open
 * is ruled out. `settledBy` is the hash of what settled the payment, if anything. Returns what is wrong with it.
 */
export function judgeSettlement(
  { payment, sent }: Call,
  body: SettleResponse,
  bazaar: BazaarOutcome | undefined,
  settledBy: string | undefined,
): string[] {
  const said = JSON.stringify(body);
  for (const one of sent) if (one.applied === undefined && !isNamed(claimOf(body), one)) one.ruledOut = said;
  return untrueAnswer(payment, { body, bazaar }, sent, settledBy).map(
    (wrong) => `${payment.name} was answered ${said}, but ${wrong}`,
  );
}

/** What verify has to say of a payment, where nothing disturbs it. */
export interface Expected {
  readonly isValid: boolean;
  /** Why not, for a defect that has a code of its own. */
  readonly code?: string;
}

/** Without anything expected, no more than this: nothing makes a payment valid that its payer did not sign so. */
export function judgeVerdict(payment: Payment, verdict: VerifyResponse, expected?: Expected): string[] {
  const { isValid, invalidReason } = verdict;
  const isBad = payment.terms.defect !== null && payment.terms.defect !== 'expired';
  const { isValid: should = isBad ? false : isValid, code } = expected ?? {};
  if (isValid === should && (code === undefined || code === invalidReason)) return [];
  const what = should ? 'valid' : (code ?? 'invalid');
  return [`${payment.name} was verified as ${JSON.stringify(verdict)}, and is ${what}`];
}
