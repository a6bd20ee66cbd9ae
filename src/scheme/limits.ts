/** Every bound of the scheme, in one place. */

/** The network takes no larger transaction (protocol 23: 132,096 bytes); more base64 than that is no payment. */
export const MAX_TRANSACTION_BYTES = 132_096;

/** Ledgers beyond the bound of specification 4.1 that an authorization may still name. */
export const EXPIRATION_TOLERANCE_LEDGERS = 2;

/**
 * Instructions that a settlement may use beyond its simulation if contract code runs: the host's own margin (4 %, at least
 * 50,000) is too small for accounts whose check is cheap. Costs some 700 stroops. Much code gets more: contractCode.ts.
 */
export const INSTRUCTION_LEEWAY = 1_000_000;
/** Payers and assets that are remembered to need more. */
export const MAX_LEEWAYS = 10_000;
/** Code that is remembered with what it costs to read. */
export const MAX_KNOWN_CODES = 10_000;
/** Code of one payment that is looked at: a wallet, a token, and what they call. */
export const MAX_CODES_PER_PAYMENT = 16;
/** Code that is asked for at once: one has up to 128 KiB, and an answer of the RPC up to 4 MiB. */
export const MAX_CODES_PER_READ = 8;
/** Instructions that every network allows to one transaction; what the limit is, above that, is asked for. */
export const LOWEST_INSTRUCTION_LIMIT = 100_000_000;
/** The limit where the RPC does not tell: that of the public network. */
export const ASSUMED_INSTRUCTION_LIMIT = 400_000_000;
/** Payments that are remembered as verified and found good. */
export const MAX_VERIFIED_LATELY = 10_000;
/** Assets that are remembered as running no contract code. */
export const MAX_BUILT_IN_ASSETS = 1_000;

export interface SettleLimits {
  /** A settled answer leaves before stock sellers give up waiting (90 s). */
  answerWithinMs: number;
  /** A transaction may wait for its ledger no longer than this … */
  maxInclusionSeconds: number;
  /** … and no shorter, or no ledger could take it. */
  minInclusionSeconds: number;
  /** Settlements that are verified at a time. */
  maxVerifiedAtOnce: number;
  /** Payments that may wait to be verified, if they were verified lately, and as many others … */
  maxWaitingToBeVerified: number;
  /** … and for a free submitter. HTTP has places for all of them. Of one payer, and of one recipient, so many in each line. */
  maxWaitingPayments: number;
  maxWaitingPaymentsPerParty: number;
  /** A payment that waits with more bytes than this counts for several. */
  bytesPerWaitingPayment: number;
  /** How long a submitter rests, among several, whose transaction the network rejected for what the account is. */
  laneRestMs: number;
  /** Settlements that may wait for an earlier one of the same authorization, and for those of all authorizations. */
  maxWaitingPerAuthorization: number;
  maxWaitingForAuthorizations: number;
  /** A payment waits no longer than this for the network's fees; it then offers what they were last. */
  maxFeeWaitMs: number;
  /** How often the same signed bytes are sent again while the network is busy, or may not have them. */
  maxResends: number;
  resendAfterMs: number;
  /** What the network said that it has is sent again after so many ledgers without it: a network that upgrades drops some. */
  resendAfterLedgers: number;
  /** How often a payment is simulated again for a settlement, where the RPC fails. */
  maxReadRepeats: number;
  /** How often one payment is signed, where an earlier signature can never apply: outdated, or offering too little. */
  maxSignatures: number;
  /** Results that are asked for at the same time. */
  maxLooksAtOnce: number;
  /** How often the nodes that answer must deny a transaction, where others do not answer, or it was rejected for good. */
  maxDenials: number;
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
  maxInclusionSeconds: 30,
  minInclusionSeconds: 15,
  maxVerifiedAtOnce: 32,
  maxWaitingToBeVerified: 750,
  maxWaitingPayments: 3_000,
  maxWaitingPaymentsPerParty: 500,
  bytesPerWaitingPayment: 8_192,
  laneRestMs: 10_000,
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
  drainMs: 25_000,
};
