import type { PaymentPayload } from '../contract/index.ts';

/** An extension by which a buyer names a payment. */
export const PAYMENT_IDENTIFIER = 'payment-identifier';

const ID = /^[A-Za-z0-9_-]{16,128}$/;

/** Returns the id that the buyer's payload names the payment by; undefined if there is none, or if the extension forbids it. */
export function paymentIdentifierIn({ extensions }: PaymentPayload): string | undefined {
  const { id } = membersOf(membersOf(membersOf(extensions)[PAYMENT_IDENTIFIER])['info']);
  return typeof id === 'string' && ID.test(id) ? id : undefined;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
