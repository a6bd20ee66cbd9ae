/** Every limit of the scheme, in one place. */

/** The network takes no larger transaction (protocol 23: 132,096 bytes), so longer base64 is not a payment. */
export const MAX_TRANSACTION_BYTES = 132_096;

/** Ledgers that an authorization may name beyond what `maxTimeoutSeconds` allows; see expirationBound. */
export const EXPIRATION_TOLERANCE_LEDGERS = 2;

/**
 * Instructions that a settlement may use beyond its simulation if contract code runs: the host's own margin (4 %, at
 * least 50,000) is too small for accounts whose check is cheap. Costs some 700 stroops. Large code gets more; see
 * contractCode.ts.
 */
export const INSTRUCTION_LEEWAY = 1_000_000;
/** Payers and assets that are remembered to need more leeway. */
export const MAX_LEEWAYS = 10_000;
/** Code whose reading cost is remembered. */
export const MAX_KNOWN_CODES = 10_000;
/** Code of one payment that is examined: a wallet, a token, and what they call. */
export const MAX_CODES_PER_PAYMENT = 16;
/** Code that is asked for at once: each is up to 128 KiB, and an answer of the RPC up to 4 MiB. */
export const MAX_CODES_PER_READ = 8;
/** Instructions that every network allows for one transaction. Only a transaction with more needs the actual limit. */
export const LOWEST_INSTRUCTION_LIMIT = 100_000_000;
/** The limit that is assumed if the RPC does not report it: that of the public network. */
export const ASSUMED_INSTRUCTION_LIMIT = 400_000_000;
/** Payments that are remembered as verified and found good. */
export const MAX_VERIFIED_LATELY = 10_000;
/** Assets that are remembered as running no contract code. */
export const MAX_BUILT_IN_ASSETS = 1_000;

export interface SettleLimits {
  /** A settlement is answered within this time, before stock sellers give up waiting (90 s). */
  answerWithinMs: number;
  /** A transaction may wait for its ledger no longer than this. */
  maxInclusionSeconds: number;
  /** It may wait at least this long, or no ledger could take it. */
  minInclusionSeconds: number;
  /** Settlements that are verified at the same time. */
  maxVerifiedAtOnce: number;
  /** Payments that may wait to be verified: this many that were verified lately, and as many others. */
  maxWaitingToBeVerified: number;
  /**
   * Payments that may wait for a free submitter. HTTP has places for all of them. The second limit is for the payments
   * of one payer, and of one recipient, in each line.
   */
  maxWaitingPayments: number;
  maxWaitingPaymentsPerParty: number;
  /** A waiting payment with more bytes than this counts as several. */
  bytesPerWaitingPayment: number;
  /** One of several channel accounts rests this long after the network rejected a transaction because of it. */
  accountRestMs: number;
  /** Settlements that may wait for an earlier one of the same authorization, and the limit for all authorizations. */
  maxWaitingPerAuthorization: number;
  maxWaitingForAuthorizations: number;
  /** A payment waits no longer than this for the network's fees; then it uses the last ones known. */
  maxFeeWaitMs: number;
  /** The most times that the same signed bytes are sent again while the network is busy or may not have them. */
  maxResends: number;
  resendAfterMs: number;
  /** A transaction that the network has is sent again after this many ledgers without it: an upgrade drops some. */
  resendAfterLedgers: number;
  /** The most times that a payment is simulated again for a settlement if the RPC fails. */
  maxReadRepeats: number;
  /** The most times that one payment is signed. It is signed again only if the last signature can never apply. */
  maxSignatures: number;
  /** Results that are asked for at the same time. */
  maxLooksAtOnce: number;
  /** Nodes must deny a transaction this often if some do not answer or no longer remember, or if it was rejected. */
  maxDenials: number;
  /** The shortest and the longest time between two looks for a result. */
  minPollIntervalMs: number;
  maxPollIntervalMs: number;
  /** Looks that may come too early while the rhythm of the ledgers is not known well. */
  maxGuessesPerLedger: number;
  /** Time between two looks at the balances of the accounts that pay the fees. */
  readBalancesEveryMs: number;
  /** When the service closes, payments in flight get this long to finish; then their senders learn how far they got. */
  drainMs: number;
}

export const SETTLE_LIMITS: SettleLimits = {
  answerWithinMs: 80_000,
  maxInclusionSeconds: 30,
  minInclusionSeconds: 15,
  maxVerifiedAtOnce: 32,
  maxWaitingToBeVerified: 750,
  maxWaitingPayments: 3_000,
  maxWaitingPaymentsPerParty: 500,
  bytesPerWaitingPayment: 8_192,
  accountRestMs: 10_000,
  maxWaitingPerAuthorization: 20,
  maxWaitingForAuthorizations: 300,
  maxFeeWaitMs: 1_000,
  maxResends: 10,
  resendAfterMs: 1_000,
  resendAfterLedgers: 3,
  maxReadRepeats: 1,
  maxSignatures: 4,
  maxLooksAtOnce: 32,
  maxDenials: 5,
  minPollIntervalMs: 100,
  maxPollIntervalMs: 10_000,
  maxGuessesPerLedger: 1,
  readBalancesEveryMs: 10_000,
  drainMs: 25_000,
};
