import { baseAddress } from '../addresses.ts';
import type { Payment } from '../payment.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';

/** Which payments that would settle, or might, the operator has refused all the same: each settlement costs a fee. */
export interface PaymentPolicy {
  /** `REFUSE_ZERO_PAYMENTS`. */
  refusesZero: boolean;
  /** `REFUSE_SELF_PAYMENTS`. */
  refusesSelf: boolean;
  /** After so many settlements of a payer that failed on the ledger within an hour, its others go one at a time … */
  serialAfterFailures: number;
  /** … and after so many, none does. `SERIAL_AFTER_FAILURES`, `REFUSE_AFTER_FAILURES`. */
  refusedAfterFailures: number;
}

/** What costs a fee and moves nothing. */
export function checkPolicy({ amount, payer, payTo }: Payment, policy: PaymentPolicy): Refusal | undefined {
  if (policy.refusesZero && amount === 0n)
    return refuse('svc_policy_zero_amount', 'This facilitator settles no payments of zero.');
  if (policy.refusesSelf && payer !== undefined && baseAddress(payer) === baseAddress(payTo))
    return refuse(
      'svc_policy_self_payment',
      'This facilitator settles no payments that go back to their payer.',
    );
  return undefined;
}
