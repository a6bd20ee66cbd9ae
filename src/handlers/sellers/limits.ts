/** The limits of what recipients sign. A test may bring others. */
export const SELLER_LIMITS = {
  /** A signature counts for this long. */
  validMs: 5 * 60_000,
  /** The clock of whoever signs may be ahead by this. */
  aheadMs: 60_000,
  settlementsPerPage: 100,
  /** Recipients whose latest read is remembered at a time; more are refused. Each has been paid here. */
  maxReaders: 10_000,
};

export type SellerLimits = Readonly<typeof SELLER_LIMITS>;
