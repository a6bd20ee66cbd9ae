/** Asks the operator's own check, if there is one. Hands it only texts and numbers, nothing decoded. */
import type { Payment, SchemeRequest, SettleRequest } from './payment.ts';
import type { AskedFor, PaymentPolicy } from './policy.ts';
import type { Refusal, SchemeCode } from './refusal.ts';

/** Resolves to the check's refusal; undefined if there is no check. */
export type Checking = ReturnType<PaymentPolicy['check']>;

export const checkVerifying = (policy: PaymentPolicy, payment: Payment, request: SchemeRequest): Checking =>
  checkOf(policy, payment, 'verify', request)();

/** Asks the check once the settlement is admitted. */
export function checkSettling(
  policy: PaymentPolicy,
  payment: Payment,
  request: SettleRequest,
): Promise<Refusal<SchemeCode> | undefined> | undefined {
  const check = checkOf(policy, payment, 'settle', request);
  const { admitting } = request;
  return admitting === undefined ? check() : admitting.then((refusal) => refusal ?? check());
}

function checkOf(
  policy: PaymentPolicy,
  { payer, payTo, asset, amount }: Payment,
  operation: AskedFor['operation'],
  { sender, keyId }: SchemeRequest,
): () => Checking {
  return () => policy.check({ payer, payTo, asset, amount }, { operation, sender, keyId });
}
