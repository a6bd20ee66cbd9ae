import type { SettleCode, VerifyCode } from '../../contract/index.ts';
import type { LedgerClose } from '../../stellar/ledgerClock.ts';
import { refuse, type OperatorCode, type Refusal, type SchemeCode } from '../refusal.ts';
import { ledgerCloseOf, type Unpaid } from './outcome.ts';
import { isPastVerifying, sentHash, type EndedAttempt, type Settlement } from './settlement.ts';
import type { BudgetOwner, FeeBudget } from './settlementJournal.ts';

/** Holds what the listing of a settled payment needs. */
export interface SettledFacts {
  /** The ledger that holds it, if known. */
  ledgerClose: LedgerClose | undefined;
  /** True if its asset is a Stellar asset contract. False if unknown. */
  isStellarAsset: boolean;
}

/**
 * Tells the seller the hash of the transaction that paid, or why no payment is known to have been made. A refusal is final
 * if a ledger has decided; any other may pass, or its outcome is not known.
 */
export type Answer =
  | { hash: string; facts: SettledFacts; refusal?: never }
  | { refusal: Refusal<SchemeCode>; facts?: never; hash?: string; isFinal?: boolean };

/** Answers with the outcome of an attempt. */
export function answerOf({ hash, outcome, isStellarAsset }: EndedAttempt): Answer {
  if (outcome.state === 'applied')
    return { hash, facts: { ledgerClose: ledgerCloseOf(outcome), isStellarAsset } };
  return { refusal: refusalOf(hash, outcome), hash, isFinal: outcome.state === 'failed' };
}

/** Returns why a transaction with this outcome did not pay. */
export function refusalOf(hash: string, outcome: Unpaid): Refusal<SettleCode> {
  switch (outcome.state) {
    case 'failed':
      return failed(hash, `failed in ledger ${outcome.ledger} (${outcome.result}); it moved no money.`);
    case 'forgotten':
      return failed(
        hash,
        'was sent; the network no longer remembers whether a ledger took it. Look it up before paying again.',
      );
    case 'expired':
      return failed(
        hash,
        'was sent, but no ledger took it before it expired; it never will, and it moved no money.',
      );
    case 'rejected':
      return refuse(
        'settle_exact_stellar_transaction_submission_failed',
        `The network did not accept transaction ${hash} (${outcome.reason}); it reached no ledger.`,
      );
  }
}

/** Answers for a settlement whose outcome is not known when the answer is due. */
export function answerNow(settlement: Settlement): Answer {
  const hash = sentHash(settlement);
  if (settlement.state === 'queued') return stillInFlight;
  if (hash === undefined) return { refusal: nothingSent };
  const why = 'was sent; whether a ledger took it is not known yet. Look it up before paying again.';
  return { refusal: failed(hash, why), hash };
}

/** Answers after a fault. Something may have been sent before it. */
export function answerToFault(
  settlement: Settlement,
): Answer & { refusal: Refusal<VerifyCode | SettleCode> } {
  const code = isPastVerifying(settlement) ? 'unexpected_settle_error' : 'unexpected_verify_error';
  const hash = sentHash(settlement);
  if (hash === undefined) {
    const message = `An unexpected fault kept the payment from being settled; ${NOTHING_SENT}`;
    return { refusal: refuse(code, message) };
  }
  const message = `An unexpected fault occurred; transaction ${hash} may have been sent. Look it up before paying again.`;
  return { refusal: refuse(code, message), hash };
}

const failed = (hash: string, what: string): Refusal<SettleCode> =>
  refuse('settle_exact_stellar_transaction_failed', `Transaction ${hash} ${what}`);

/** Mentions earlier requests because their outcomes are not checked here. */
const NOTHING_SENT = 'nothing was sent. If this payment was requested before, it may have been paid then.';

export const nothingSent: Refusal<SettleCode> = refuse(
  'unexpected_settle_error',
  `The network did not answer in time; ${NOTHING_SENT}`,
);

export const databaseUnavailable: Refusal<OperatorCode> = refuse(
  'svc_database_unavailable',
  `This facilitator's database does not answer; ${NOTHING_SENT} Try again.`,
);

export const identifierTaken: Refusal<OperatorCode> = refuse(
  'svc_payment_identifier_conflict',
  'Another payment to this recipient under the same payment-identifier has settled or is under way; nothing was sent.',
);

/** `owner` says which budget it is, if that is known. */
export function feeBudgetExhausted({ caller }: FeeBudget, owner?: BudgetOwner): Refusal<OperatorCode> {
  const callers = caller === 'anonymous' ? 'all callers without a key' : 'your key';
  const whose = { caller: callers, service: 'all callers of this facilitator' };
  const budget = owner === undefined ? 'one of the daily budgets' : `the daily budget of ${whose[owner]}`;
  return refuse(
    'svc_fee_budget_exhausted',
    `Too little is left of ${budget} for network fees; ${NOTHING_SENT} It is renewed at midnight UTC.`,
  );
}

export const tooManyToVerify: Refusal<SettleCode> = refuse(
  'settle_exact_stellar_signer_selection_failed',
  `Too many payments are waiting to be settled, in total or for this payer or recipient; ${NOTHING_SENT}`,
);

export const stillInFlight: Answer = {
  refusal: refuse(
    'verification_failed',
    'Another settlement of the same authorization is still under way; settle again to learn its outcome.',
  ),
};
