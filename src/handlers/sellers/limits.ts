/** The limits of what recipients sign. A test may bring others. */
export const SELLER_LIMITS = {
  /** A signature counts for this long. */
  validMs: 5 * 60_000,
  /** The clock of whoever signs may be ahead by this. */
  aheadMs: 60_000,
  settlementsPerPage: 100,
  /** How often a recipient may hide, restore, describe and confirm: one listing, and all of its listings together. */
  actsPerListingPerHour: 20,
  actsPerRecipientPerHour: 200,
  /** Recipients and listings whose acts are counted at a time. Each listing was paid for here; with more, acts wait. */
  maxActWindows: 40_000,
  /** Recipients whose latest read is remembered at a time; more are refused. Each has been paid here. */
  maxReaders: 10_000,
};

export type SellerLimits = Readonly<typeof SELLER_LIMITS>;
