/** Limits what one caller may ask for. Undefined means no limit. */
export interface RateLimits {
  readonly verifiesPerMinute: number | undefined;
  readonly settlesPerMinute: number | undefined;
  readonly settlementsInFlight: number | undefined;
  readonly connections: number | undefined;
}

/** Limits a key. Undefined means that the service's own limit applies. */
export interface KeyLimits extends RateLimits {
  /** Stroops of network fees per day (UTC). */
  readonly feeBudgetStroops: number | undefined;
}

/** Limits the counting itself. A test may bring others. */
export const COUNTING_LIMITS = {
  /** A caller's requests are counted in windows that begin with the first of them. */
  windowSeconds: 60,
  /**
   * Callers whose requests are counted, for each operation. With more, the window that began first ends early: whoever
   * has that many addresses could not be limited by address anyway.
   */
  maxCountedCallers: 20_000,
  /** A caller with too many settlements in flight is told to wait this long: about a ledger. */
  settlementRetryAfterSeconds: 5,
};
