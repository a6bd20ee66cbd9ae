import { baseAddress } from '../../../stellar/addresses.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';

/** Payments that the operator refuses although they would or might settle: each settlement costs a fee. */
export interface PaymentPolicy {
  /** `REFUSE_ZERO_PAYMENTS`. */
  refusesZero: boolean;
  /** `REFUSE_SELF_PAYMENTS`. */
  refusesSelf: boolean;
  /**
   * After this many failures of a payer on the ledger within an hour, its settlements go one at a time;
   * `SERIAL_AFTER_FAILURES`.
   */
  serialAfterFailures: number;
  /** After this many, none of its payments is settled; `REFUSE_AFTER_FAILURES`. */
  refusedAfterFailures: number;
}

/** Refuses payments that cost a fee and move nothing. */
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
