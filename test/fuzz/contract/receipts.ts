import type { FacilitatorRequest, SettleResponse } from '../../../src/contract/index.ts';
import { verifyReceipt } from '../../../src/receipts/index.ts';
import { differs } from './differs.ts';

/** What is wrong with the receipt of a settled payment, by the keys that the service publishes. */
export function receiptComplaints(
  { extensions, transaction, payer }: SettleResponse,
  keys: unknown,
  { paymentRequirements }: FacilitatorRequest,
): string[] {
  const { jws = '' } = (extensions?.['settlement-receipt'] ?? {}) as { jws?: string };
  const result = verifyReceipt(jws, keys);
  if ('problem' in result) return [`its receipt: ${result.problem}`];
  const { network, amount, asset, payTo } = paymentRequirements;
  const expected = { network, amount, asset, payTo, transaction, payer };
  const stated = Object.fromEntries(Object.keys(expected).map((name) => [name, result.statement[name]]));
  return differs('its receipt', stated, expected);
}
