/** Every bound of the wallet, in one place. */

export const WALLET_LIMITS = {
  /**
   * An authorization holds no longer than this, whatever the seller allows: as long as anybody waits for the seller's
   * answer. A shorter one than the seller's `maxTimeoutSeconds` is always acceptable (specification 4.1).
   */
  maxValiditySeconds: 120,
  /** Ledgers are counted as no longer and no shorter than this, as facilitators count them. */
  maxLedgerSeconds: 5,
  minLedgerSeconds: 1,
  /** The network's pace is measured anew after this: it may change within minutes. */
  paceMemoryMs: 60_000,
  /** A transfer takes about 1 kB of base64; a token that needs more than this is not paid in. */
  maxTransactionChars: 32 * 1024,
  /** Transactions of one ledger that are looked at to find the one that carried a payment. */
  maxCandidates: 20,
};

export const RPC_LIMITS = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 8_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  maxConnections: 8,
  maxCallsAtOnce: 1_000,
};
/** If no node answers, and not for want of time, all are asked once more. */
export const REPEAT_AFTER_MS = 300;

/** How a payment that was sent is followed on the ledger. */
export const FOLLOW_LIMITS = {
  /** While its answer is awaited nobody needs to look. */
  firstLookAfterMs: 5_000,
  /** Looks come quickly at first, for an RPC that is a moment behind; then once for each ledger. */
  minLookEveryMs: 250,
  maxLookEveryMs: 5_000,
  /** An RPC is not believed that a payment has expired before its ledgers took this long each. If they close faster, the end is told later. */
  minLedgerMs: 1_000,
  /** So many looks in a row must show that it can no longer be taken. */
  looksBeforeDead: 2,
  /** That it was taken is certain by then; its hash may be missing for good. */
  maxLooksForHash: 5,
  /** An RPC that cannot be asked, or ledgers that do not close, for so long: the end stays unknown. */
  giveUpAfterMs: 10 * 60_000,
};
