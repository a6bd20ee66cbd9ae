import type { SettleResponse, VerifyResponse } from '../../../src/contract/index.ts';
import type { Payment } from './payments.ts';
import type { Sent } from './transactions.ts';

/** Somebody's request to settle a payment, and what became of it. */
export interface Call {
  readonly payment: Payment;
  readonly askedAtMs: number;
  /** What was sent for it, oldest first. */
  readonly sent: Sent[];
  answer?: SettleResponse;
  /** The process died before it answered. */
  isLost?: boolean;
}

/** What an answer says of what was sent. */
type Claim =
  | { says: 'settled'; hash: string }
  | { says: 'not known'; hash: string | undefined }
  | { says: 'failed'; hash: string | undefined }
  | { says: 'nothing paid' };

export function claimOf({ success, transaction, errorMessage = '', extra }: SettleResponse): Claim {
  if (success) return { says: 'settled', hash: transaction };
  const hash = extra?.['transaction'] as string | undefined;
  if (/not known yet|may have been sent|no longer remembers/.test(errorMessage))
    return { says: 'not known', hash };
  if (/failed in ledger/.test(errorMessage)) return { says: 'failed', hash };
  return { says: 'nothing paid' };
}

/**
 * Holds an answer to the ledger as it is now, and what may come later to the answer: whatever it does not leave open
 * is ruled out. Returns what is wrong with it.
 */
export function judgeSettlement(call: Call, answer: SettleResponse): string[] {
  const { payment, sent } = call;
  const claim = claimOf(answer);
  const named = 'hash' in claim ? sent.find(({ hash }) => hash === claim.hash) : undefined;
  const complaints: string[] = [];
  const say = (what: string) =>
    complaints.push(`${payment.name} was answered ${JSON.stringify(answer)}, but ${what}`);

  if ('hash' in claim && named === undefined) say(`no transaction ${claim.hash} was sent for it`);
  if (claim.says === 'settled' && named?.applied?.isSuccess !== true) say('the ledger has no such transfer');
  if (claim.says === 'failed' && named?.applied?.isSuccess !== false) say('no ledger has that as a failure');
  if (answer.payer !== undefined && answer.payer !== payment.transfer.from) say('somebody else pays');

  const isOpen = (one: Sent): boolean => one === named && claim.says !== 'nothing paid';
  for (const one of sent) {
    if (isOpen(one)) continue;
    if (one.applied !== undefined) say(`ledger ${one.applied.ledger} has ${one.hash}`);
    else one.ruledOut = JSON.stringify(answer);
  }
  return complaints;
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
