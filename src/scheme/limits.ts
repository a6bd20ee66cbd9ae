/** Every bound of the scheme, in one place. */

/** The network takes no larger transaction (protocol 23: 132,096 bytes); more base64 than that is no payment. */
export const MAX_TRANSACTION_BYTES = 132_096;

/** Stroops offered for inclusion, per operation: the network's base fee (specification 4.2, inclusion buffer). */
export const INCLUSION_FEE_STROOPS = 100;

/** Ledgers beyond the bound of specification 4.1 that an authorization may still name. */
export const EXPIRATION_TOLERANCE_LEDGERS = 2;

/** What stock clients assume where nothing was measured; see ledgerClock.ts for why it is also the ceiling. */
export const DEFAULT_LEDGER_SECONDS = 5;

export const RPC_LIMITS = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 10_000,
  maxConnections: 64,
  maxAnswerBytes: 4 * 1024 * 1024,
};

export interface SettleLimits {
  /** A settled answer leaves before stock sellers give up waiting (90 s). */
  answerWithinMs: number;
  /** A transaction may wait for its ledger no longer than this … */
  maxInclusionSeconds: number;
  /** … and no shorter, or no ledger could take it. */
  minInclusionSeconds: number;
  /** Payments that may wait for a free submitter. */
  maxWaitingPayments: number;
  /** Settlements that may wait for an earlier one of the same authorization. */
  maxWaitingPerAuthorization: number;
  /** How often the same signed bytes are sent again while the network is busy, or may not have them. */
  maxResends: number;
  resendAfterMs: number;
  /** How often one payment is signed, where the network shows that the facilitator's picture of it is outdated. */
  maxSignatures: number;
  /** Between two looks for a result, at least and at most. */
  minPollIntervalMs: number;
  maxPollIntervalMs: number;
  /** Looks that may come too early, while the ledgers' rhythm is not known well. */
  maxGuessesPerLedger: number;
  /** Payments in flight get this long to end when the service closes; then their senders are told how far they are. */
  drainMs: number;
}

export const SETTLE_LIMITS: SettleLimits = {
  answerWithinMs: 80_000,
  maxInclusionSeconds: 60,
  minInclusionSeconds: 15,
  maxWaitingPayments: 1_000,
  maxWaitingPerAuthorization: 100,
  maxResends: 10,
  resendAfterMs: 1_000,
  maxSignatures: 2,
  minPollIntervalMs: 50,
  maxPollIntervalMs: 10_000,
  maxGuessesPerLedger: 2,
  drainMs: 25_000,
};
