import type { xdr } from '@stellar/stellar-sdk';
import type { Reservation } from './policy.ts';
import type { Terms } from './terms.ts';

/** A signed payment. Anybody who has it can take it, once, until its last ledger has closed. */
export interface SignedPayment {
  readonly terms: Terms;
  /** The address that pays. */
  readonly payer: string;
  /** The ledger stores it when the payment is taken. */
  readonly nonce: bigint;
  readonly validUntilLedger: number;
  /** The earliest time at which its last ledger can have closed: milliseconds, by this machine's clock alone. */
  readonly holdsUntilMs: number;
  readonly authorization: xdr.SorobanAuthorizationEntry;
  /** The part of the session's budget that it holds. */
  readonly reservation: Reservation;
}
