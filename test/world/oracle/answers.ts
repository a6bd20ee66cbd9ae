import type { SettleResponse } from '../../../src/contract/index.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { payerOf, type Answer, type Payment } from './facts.ts';

/** Says what an answer claims of what was sent, and which transaction it names. */
export interface Claim {
  readonly says: 'settled' | 'settled before' | 'not known' | 'failed' | 'nothing paid';
  readonly hash: string | undefined;
}

export function claimOf({ success, transaction, errorMessage = '', extra }: SettleResponse): Claim {
  if (success) return { says: 'settled', hash: transaction };
  const hash = extra?.['transaction'] as string | undefined;
  if (errorMessage.includes('already used, by transaction')) return { says: 'settled before', hash };
  if (/not known yet|may have been sent|no longer remembers/.test(errorMessage))
    return { says: 'not known', hash };
  return { says: errorMessage.includes('failed in ledger') ? 'failed' : 'nothing paid', hash };
}

/** A transaction that was sent for a payment, and the ledger that took it. */
export interface Attempt {
  readonly hash: string;
  readonly applied?: Pick<LedgerTransaction, 'status' | 'ledger'> | undefined;
}

/** True if the answer leaves open what becomes of the attempt, or says that it settled. */
export const isNamed = ({ says, hash }: Claim, attempt: Attempt): boolean =>
  !['nothing paid', 'settled before'].includes(says) && attempt.hash === hash;

/** Says what is wrong with an answer, given what was sent for it, and the hash of what settled the payment, if anything. */
export function untrueAnswer(
  payment: Pick<Payment, 'authorization' | 'deserves'>,
  answer: Pick<Answer, 'body' | 'bazaar'>,
  sent: readonly Attempt[],
  settledBy: string | undefined,
): string[] {
  const { body } = answer;
  const claim = claimOf(body);
  const { says, hash } = claim;
  const named = sent.find((one) => one.hash === hash);
  const isBefore = says === 'settled before';
  const isHashMissing = !isBefore && named === undefined && (says !== 'nothing paid' || hash !== undefined);
  const taken = sent.filter((one) => one.applied !== undefined && !isNamed(claim, one));
  return [
    ...untrueHeader(payment, answer),
    ...(body.payer === undefined || body.payer === payerOf(payment) ? [] : ['somebody else pays']),
    ...(isHashMissing ? [`no transaction ${hash} was sent for it`] : []),
    ...(hash && !body.success && !body.errorMessage?.includes(hash) ? ['its message does not name it'] : []),
    ...(isBefore && (hash === undefined || hash !== settledBy) ? [`${hash} did not settle it`] : []),
    ...(says === 'settled' && named?.applied?.status !== 'success'
      ? ['the ledger has no such transfer']
      : []),
    ...(says === 'failed' && named?.applied?.status !== 'failed' ? ['no ledger has that as a failure'] : []),
    ...taken.map((one) => `ledger ${one.applied!.ledger} has ${one.hash}`),
  ];
}

/** Says if the header is untrue. Without a header, the seller was told nothing of a listing. */
function untrueHeader(
  { deserves }: Pick<Payment, 'deserves'>,
  { body, bazaar }: Pick<Answer, 'body' | 'bazaar'>,
): string[] {
  if (bazaar === undefined) return [];
  if (!body.success) return ['a refusal speaks of a listing'];
  const deserved = { 'a listing': 'success', 'a refusal': 'rejected', nothing: undefined }[deserves];
  return bazaar.status === deserved ? [] : [`it deserves ${deserves}: ${JSON.stringify(bazaar)}`];
}

/** Says why a payment without a defect does not deserve that refusal. `settled` is what paid it, if anything did. */
export function undeservedRefusal(
  { expiration, asked }: Payment,
  { body, inLedger }: Answer,
  settled: LedgerTransaction | undefined,
): string[] {
  const { success, errorReason, errorMessage = '' } = body;
  if (success) return [];
  switch (errorReason) {
    case 'settle_exact_stellar_transaction_failed':
      return /[0-9a-f]{64} .*(not known yet|failed in ledger|never will)/.test(errorMessage)
        ? []
        : ['the network remembers all of its ledgers'];
    case 'invalid_exact_stellar_payload_simulation_failed': {
      const isSpent = settled !== undefined && settled.ledger <= inLedger;
      if (isSpent && asked === 1) return ['its own transaction settled it'];
      return isSpent || inLedger >= expiration ? [] : ['it was good, and had not been settled'];
    }
    case 'verification_failed':
      return asked > 1 ? [] : ['nobody else asked for it'];
    case 'settle_exact_stellar_transaction_submission_failed':
    case 'settle_exact_stellar_signer_selection_failed':
    case 'unexpected_verify_error':
    case 'unexpected_settle_error':
    case 'svc_database_unavailable':
      return [];
    default:
      return ['no good payment deserves that'];
  }
}
