import type { SettleCode, VerifyCode } from '../../contract/index.ts';
import type { Outcome } from './watcher.ts';
import { refuse } from '../refusal.ts';
import type { Refusal, SchemeCode } from '../refusal.ts';

/** The outcome of a settlement, as far as it is known, with the hash of its transaction once there is one. */
export type Ending = { hash: string; refusal?: never } | { refusal: Refusal<SchemeCode>; hash?: string };

/** Translates the outcome of a transaction into that of its settlement. */
export function endingOf(hash: string, outcome: Outcome): Ending {
  switch (outcome.status) {
    case 'success':
      return { hash };
    case 'failed':
      return failed(hash, `failed in ledger ${outcome.ledger} (${outcome.result}); it moved no money.`);
    case 'forgotten':
      return failed(
        hash,
        'was sent; the network no longer remembers whether a ledger took it. Look it up before paying again.',
      );
    case 'never':
      return failed(
        hash,
        'was sent, but no ledger took it before it expired; it never will, and it moved no money.',
      );
  }
}

/** Answers for a settlement whose outcome is not known when the answer is due. */
export function notKnownYet(hash: string | undefined): Ending {
  if (hash === undefined) return nothingSent;
  return failed(hash, 'was sent; whether a ledger took it is not known yet. Look it up before paying again.');
}

function failed(hash: string, what: string): Ending {
  return { refusal: refuse('settle_exact_stellar_transaction_failed', `Transaction ${hash} ${what}`), hash };
}

export function notAccepted(hash: string, reason: string): Ending {
  const message = `The network did not accept transaction ${hash} (${reason}); it reached no ledger.`;
  return { refusal: refuse('settle_exact_stellar_transaction_submission_failed', message), hash };
}

/** Mentions earlier requests because their outcomes are not checked here. */
const NOTHING_SENT = 'nothing was sent. If it was asked for before, it may have been paid then.';

export const nothingSent: Ending = {
  refusal: refuse('unexpected_settle_error', `The network did not answer in time; ${NOTHING_SENT}`),
};

export const tooManyToVerify: Refusal<SettleCode> = refuse(
  'settle_exact_stellar_signer_selection_failed',
  `Too many payments wait to be settled, in all or of this payer or recipient; ${NOTHING_SENT}`,
);

export const stillInFlight: Ending = {
  refusal: refuse(
    'verification_failed',
    'Another settlement of the same authorization has not ended yet; settle again to learn how it ended.',
  ),
};

/** Answers after a fault, whether or not something was sent before it. */
export function unexpectedEnding(code: VerifyCode | SettleCode, hash: string | undefined): Ending {
  if (hash === undefined) {
    return {
      refusal: refuse(code, `An unexpected fault kept the payment from being settled; ${NOTHING_SENT}`),
    };
  }
  const message = `An unexpected fault; transaction ${hash} may have been sent. Look it up before paying again.`;
  return { refusal: refuse(code, message), hash };
}
