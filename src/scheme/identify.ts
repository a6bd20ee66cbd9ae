import type { SchemeRequest } from './payment.ts';
import type { SpentPayment } from './settle/settlementJournal.ts';
import { authorizationOf } from './settle/pending.ts';
import { readRequest, type ReadDeps } from './verify/verify.ts';

/**
 * Returns the payment that a request is about, as the journal knows it; undefined if it does not fit the terms. Asks
 * nothing of the operator's policy, which may have changed since the payment was settled.
 */
export function identify(
  request: SchemeRequest,
  deps: Pick<ReadDeps, 'facilitatorAddresses' | 'leeway'>,
): SpentPayment | undefined {
  const payment = readRequest(request, { ...deps, policy: NO_POLICY, payers: NO_POLICY });
  if ('refusal' in payment) return undefined;
  const { payTo, amount, asset } = payment;
  return { payTo, amount, asset, authorization: authorizationOf(payment) };
}

const NO_POLICY = { refusal: () => undefined };
