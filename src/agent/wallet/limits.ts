/** Holds every limit of the wallet, which takes them as `limits`. */

export type WalletLimits = typeof WALLET_LIMITS;

export const WALLET_LIMITS = {
  /**
   * An authorization is valid no longer than this, whatever the seller allows. The wait for the seller's answer is as
   * long. A validity that is shorter than the seller's `maxTimeoutSeconds` is always acceptable.
   */
  maxValiditySeconds: 120,
  /** A ledger counts as no longer and no shorter than this, as facilitators count. */
  maxLedgerSeconds: 5,
  minLedgerSeconds: 1,
  /** The network's pace is measured again after this time, since it may change within minutes. */
  paceMemoryMs: 60_000,
  /** A transfer takes about 1 kB of base64. The wallet does not pay in a token that needs more than this. */
  maxTransactionChars: 32 * 1024,
  /** The number of transactions in one ledger that are searched for the one that carried a payment. */
  maxCandidates: 20,
  /** The first look at the ledger comes after this time, or as soon as the target has answered. */
  firstLookAfterMs: 5_000,
  /** Looks come quickly at first, in case the RPC is a moment behind, and then once per ledger. */
  minLookEveryMs: 250,
  maxLookEveryMs: 5_000,
  /**
   * An RPC is not believed that a payment has expired before its ledgers took at least this long each. If ledgers close
   * faster, the outcome is reported later.
   */
  minLedgerMs: 1_000,
  /** This many looks in a row must show that the payment can no longer be taken. */
  looksBeforeDead: 2,
  /** After this many looks, the hash stays unknown. The payment was certainly taken, but its hash may never appear. */
  maxLooksForHash: 5,
  /** If the RPC cannot be asked, or ledgers do not close, for this long, the outcome stays unknown. */
  giveUpAfterMs: 10 * 60_000,
  rpc: {
    connectTimeoutMs: 5_000,
    answerTimeoutMs: 8_000,
    maxAnswerBytes: 4 * 1024 * 1024,
    maxConnections: 8,
    maxCallsAtOnce: 1_000,
    /** If no node answers, and not because of a timeout, all are asked once more after this time. */
    repeatAfterMs: 300,
  },
};
