import type { Payment } from './payment.ts';
import type { PolicyCode } from '../contract/index.ts';
import type { Refusal } from './refusal.ts';

/** The facts of a payment that a policy decides by. */
export type PaymentFacts = Pick<Payment, 'payer' | 'payTo' | 'asset' | 'amount'>;

/** Refuses payments that the operator does not want to carry although they would or might settle. */
export interface PaymentPolicy {
  /** Decides at once, by rules that need nothing but the payment. */
  refusal(payment: PaymentFacts): Refusal<PolicyCode> | undefined;
  /** Asks the operator's own check. Returns undefined if there is none. The promise never rejects. */
  check(payment: PaymentFacts, asked: AskedFor): Promise<Refusal<PolicyCode> | undefined> | undefined;
}

/** Says what a seller asks for, and who it is. */
export interface AskedFor {
  readonly operation: 'verify' | 'settle';
  /** The name of the seller, for which its questions count. */
  readonly sender?: string | undefined;
  /** The id of the seller's key; undefined if it has shown none. */
  readonly keyId: string | undefined;
}

/** Says how many failures of a payer on the ledger within an hour are too many. */
export interface FailureThresholds {
  /** After this many, the payer's settlements go one at a time; `SERIAL_AFTER_FAILURES`. */
  readonly serialAfterFailures: number;
  /** After this many, none of its payments is settled; `REFUSE_AFTER_FAILURES`. */
  readonly refusedAfterFailures: number;
}
