import type { SettlementFee } from '../verify/checks/fee.ts';
import type { PendingPayment } from '../payment.ts';
import type { Outcome } from './outcome.ts';
import type { Validity } from './settlementTransaction.ts';

/**
 * The states of a settlement, in the order of its life (see life.ts):
 *
 * ```
 * queued ─▶ verifying ─▶ verified ───────────▶ signed ─▶ sent ─┬─▶ applied
 *                            │                   ▲ ▲           ├─▶ failed
 *                            └─▶ waiting ────────┘ │           ├─▶ forgotten
 *                                (verified again)  │           ├─▶ rejected ─┐
 *                                                  │           └─▶ expired ──┤
 *                                                  └─────────────────────────┘
 *                                  if it can be cured and there is time: bid more, or verify again
 * ```
 *
 * It is queued behind earlier settlements of the same authorization, and waits for a channel account. A refusal ends it
 * unless the last attempt may still apply. The first attempt that is found applied or failed is the outcome, even if it
 * was thought to be rejected or expired. The log shows the state of a settlement that has no outcome in time.
 */
export type State = 'queued' | 'verifying' | 'verified' | 'waiting' | 'signed' | 'sent' | Outcome['state'];

/** All that is known of a settlement while it lives. */
export interface Settlement {
  readonly payment: PendingPayment;
  /** When the seller asked, in monotonic milliseconds. */
  readonly askedAtMs: number;
  /** When the payment was last found good; undefined before. */
  verifiedAtMs: number | undefined;
  /** The moment at which the seller's answer is due. */
  readonly answerDeadline: number;
  state: State;
  /** True once the seller has its answer. The answer names what was sent, so nothing else may be sent any more. */
  isAnswered: boolean;
  /** The transactions that were sent for it, oldest first: at most `maxSignatures`. */
  attempts: Attempt[];
}

/** One signed transaction of a settlement, and what is known of it. */
export interface Attempt {
  /** 64 hex characters. Identifies the transaction on the ledger. */
  readonly hash: string;
  /** Base64 XDR. */
  readonly envelope: string;
  /** The submitter whose sequence number it uses. */
  readonly source: string;
  readonly sequence: bigint;
  readonly bid: SettlementFee;
  /** True if its asset is a Stellar asset contract. Any other asset runs its author's code. */
  readonly isStellarAsset: boolean;
  readonly validity: Validity;
  /** Its time bound in monotonic milliseconds. A node that says earlier that it has expired is not believed. */
  readonly mayApplyUntil: number;
  /** The latest ledger before it was sent. */
  readonly sentInLedger: number;
  /** Undefined until it is known. */
  outcome: Outcome | undefined;
}

/** An attempt whose outcome is known. */
export type EndedAttempt = Attempt & { outcome: Outcome };

export const isPastVerifying = ({ state }: Settlement): boolean =>
  state !== 'queued' && state !== 'verifying';

/** Returns the hash of the transaction that was sent last, or is about to be sent; undefined if there is none. */
export const sentHash = ({ attempts }: Settlement): string | undefined => attempts.at(-1)?.hash;
