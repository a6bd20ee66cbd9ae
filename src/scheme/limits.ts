/** Every bound of the scheme, in one place. */

/** The network takes no larger transaction (protocol 23: 132,096 bytes); more base64 than that is no payment. */
export const MAX_TRANSACTION_BYTES = 132_096;

/** Ledgers beyond the bound of specification 4.1 that an authorization may still name. */
export const EXPIRATION_TOLERANCE_LEDGERS = 2;

/** What stock clients assume where nothing was measured; see ledgerClock.ts for why it is also the ceiling. */
export const DEFAULT_LEDGER_SECONDS = 5;

/** Entries of the ledger that the RPC gives out at once. */
export const MAX_KEYS_PER_READ = 200;

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

export interface RpcLimits {
  connectTimeoutMs: number;
  /** For an answer, where there is one node, and where others could be asked instead. */
  answerTimeoutMs: number;
  answerTimeoutAmongSeveralMs: number;
  /** Connections to verify, and as many to settle. */
  maxConnections: number;
  /** This many calls of each purpose may wait for an answer or a connection; more are a fault. */
  maxCallsAtOnce: number;
  maxAnswerBytes: number;
  /** A node that fails this often in a row rests: it is asked after all others, for twice as long each time. */
  faultsBeforeRest: number;
  minRestMs: number;
  maxRestMs: number;
  /** An answer from further back than this is a fault … */
  maxLagLedgers: number;
  /** … unless no node has shown the latest ledger for this long: then the network has started afresh. */
  ledgerMemoryMs: number;
  /** An answer from further ahead than this is a fault, unless as many ledgers can have closed since the last … */
  maxLeadLedgers: number;
  /** … or another node agrees. No network closes ledgers faster than this. */
  minLedgerMs: number;
  /** What one answer alone has said is disowned by so many that are far behind it. */
  maxDissents: number;
}

export const RPC_LIMITS: RpcLimits = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 10_000,
  answerTimeoutAmongSeveralMs: 4_000,
  maxConnections: 64,
  maxCallsAtOnce: 10_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  faultsBeforeRest: 3,
  minRestMs: 1_000,
  maxRestMs: 30_000,
  maxLagLedgers: 3,
  ledgerMemoryMs: 20_000,
  maxLeadLedgers: 100,
  minLedgerMs: 50,
  maxDissents: 3,
};

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
  maxReadRepeats: 1,
  maxSignatures: 4,
  maxLooksAtOnce: 32,
  maxDenials: 5,
  minPollIntervalMs: 100,
  maxPollIntervalMs: 10_000,
  maxGuessesPerLedger: 1,
  drainMs: 25_000,
};
