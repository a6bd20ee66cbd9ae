import type { Sight, Taking } from './ledger.ts';
import type { PaceDeps } from './pace.ts';
import type { SignedPayment } from './payment.ts';

/** The outcome of a payment that was sent. */
export type PaymentEnd =
  /** It was taken. The hash is undefined if the ledger shows that it was taken, but not by which transaction. */
  | ({ readonly status: 'settled' } & Taking)
  /** Its last ledger has closed, and it was not taken: nothing was paid, and nothing will be. */
  | { readonly status: 'notSettled' }
  /** The ledger did not show the outcome. */
  | { readonly status: 'unknown' };

/** Tells what is known of a payment so far. */
export interface SoFar {
  /** The latest ledger that was seen while the payment was not taken. */
  readonly openAtLedger: number | undefined;
  /** Milliseconds from the latest look until the last ledger that can take the payment should have closed. */
  readonly expiresInMs: number | undefined;
  readonly end: PaymentEnd | undefined;
}

/** Concludes from several looks at the ledger what became of a payment. */
export interface Sightings {
  /** Takes what a look has shown; undefined if the RPC did not answer. Returns the outcome once it is final. */
  add(sight: Sight | undefined, ledgerMs: number): PaymentEnd | undefined;
  soFar(): SoFar;
}

const NOTHING_SEEN: SoFar = { openAtLedger: undefined, expiresInMs: undefined, end: undefined };

export function createSightings(
  { now, limits }: Pick<PaceDeps, 'now' | 'limits'>,
  payment: SignedPayment,
): Sightings {
  let known = NOTHING_SEEN;
  let expiredLooks = 0;
  let looksForHash = 0;

  /** One answer is not enough: a ledger may have closed while it was put together. */
  function isExpired(): boolean {
    // Ledgers don't close faster. And a payment that was taken once stays taken.
    const isCredible = now() >= payment.holdsUntilMs && known.end === undefined;
    return isCredible && ++expiredLooks >= limits.looksBeforeDead;
  }

  return {
    add(sight, ledgerMs) {
      switch (sight?.state) {
        case 'expired':
          return isExpired() ? { status: 'notSettled' } : undefined;
        case 'open': {
          expiredLooks = 0;
          const { latestLedger: openAtLedger } = sight;
          const expiresInMs = (payment.validUntilLedger - openAtLedger) * ledgerMs;
          known = { ...known, openAtLedger, expiresInMs };
          return undefined;
        }
        case 'settled': {
          const { transaction } = sight;
          known = { ...known, end: { status: 'settled', transaction } };
          const isFinal = transaction !== undefined || ++looksForHash >= limits.maxLooksForHash;
          return isFinal ? known.end : undefined;
        }
        default:
          return undefined;
      }
    },
    soFar: () => known,
  };
}
