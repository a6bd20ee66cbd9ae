/** Rules against payments that cost a fee and move nothing. */
import { baseAddress } from '../../stellar/addresses.ts';
import type { Rule } from './rules.ts';

export const refuseZero: Rule = ({ amount }) =>
  amount === 0n
    ? { code: 'svc_policy_zero_amount', message: 'This facilitator settles no payments of zero.' }
    : undefined;

export const refuseSelf: Rule = ({ payer, payTo }) =>
  payer !== undefined && baseAddress(payer) === baseAddress(payTo)
    ? {
        code: 'svc_policy_self_payment',
        message: 'This facilitator settles no payments that go back to their payer.',
      }
    : undefined;
