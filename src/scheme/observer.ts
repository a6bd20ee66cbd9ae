import type { Outcome } from './settle/outcome.ts';

/** Hears what becomes of payments, to count it. Must not throw. */
export interface SchemeObserver {
  /** A payment has waited this long for a channel account, and has one, or gives up. */
  waited(ms: number): void;
  /** A transaction is about to be sent. */
  sent(bidStroops: number): void;
  /** A sent transaction has an outcome. No fee is given unless a ledger holds it. */
  ended(state: Outcome['state'], feeChargedStroops: number | undefined): void;
  /** A payment is answered as settled, this long after its ledger closed. */
  settled(sinceClosedMs: number): void;
}

export const UNOBSERVED: SchemeObserver = {
  waited() {},
  sent() {},
  ended() {},
  settled() {},
};
