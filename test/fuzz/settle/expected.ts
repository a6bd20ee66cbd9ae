import type { Network } from '../../../sandbox/network.ts';
import type { Expected } from './answers.ts';
import type { NetworkFunds } from './funds.ts';
import type { Payment } from './payments.ts';
import type { Transactions } from './transactions.ts';

/** Returns a function that says what verify has to say of a payment, in the ledger that comes next. */
export function createExpectations(deps: {
  network: Network;
  funds: NetworkFunds;
  transactions: Transactions;
}): (payment: Payment) => Expected {
  const { network, funds, transactions } = deps;
  return ({ terms: { defect }, transfer, authorization, expiration }) => {
    if (defect === 'of another amount') return no('invalid_exact_stellar_payload_wrong_amount');
    const isRefusedByHost =
      defect === 'forged' ||
      defect === 'unsigned' ||
      expiration <= network.latestLedger ||
      transactions.isSpent(authorization) ||
      !funds.canPay(transfer);
    if (isRefusedByHost) return no('invalid_exact_stellar_payload_simulation_failed');
    if (defect === 'good for too long') return no('invalid_exact_stellar_signature_expiration_too_far');
    return { isValid: true };
  };
}

const no = (code: string) => ({ isValid: false, code });
