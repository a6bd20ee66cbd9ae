/** Payments wait in the form in which they were sent: decoded, a thousand of them would fill the memory. */
import { hash } from 'node:crypto';
import { scAddressText } from './addresses.ts';
import { usedCredentials } from './checks/authorization.ts';
import { invocationIn } from './checks/transaction.ts';
import type { SettleLimits } from './limits.ts';
import { decodeTransaction } from './payload.ts';
import type { Payment, PendingPayment } from './payment.ts';

export function pendingOf(payment: Payment, listing: string | null): PendingPayment {
  const { transaction, payer = '', payTo, asset, amount, maxTimeoutSeconds } = payment;
  const used = usedCredentials(payment);
  return {
    transaction,
    payer,
    payTo,
    asset,
    amount,
    maxTimeoutSeconds,
    // Without credentials the payment will be refused, so it need not wait for any other.
    authorization:
      used === undefined ? hash('sha256', transaction) : `${scAddressText(used.address)}:${used.nonce}`,
    lastLedger: used?.signatureExpirationLedger ?? 0,
    listing,
  };
}

/** The same payment, decoded again. */
export function decoded(pending: PendingPayment): Payment {
  const { transaction, payTo, asset, amount, maxTimeoutSeconds } = pending;
  const read = decodeTransaction({ transaction });
  const invocation = 'code' in read ? undefined : invocationIn(read.body);
  if (invocation === undefined) throw new Error('a payment that was decoded before cannot be decoded');
  const payer = pending.payer === '' ? undefined : pending.payer;
  return { transaction, payTo, asset, amount, maxTimeoutSeconds, payer, ...invocation };
}

/** How many places a payment takes while it waits. */
export function placesOf(
  { transaction, listing }: PendingPayment,
  { bytesPerWaitingPayment }: Pick<SettleLimits, 'bytesPerWaitingPayment'>,
): number {
  return Math.ceil((transaction.length + Buffer.byteLength(listing ?? '')) / bytesPerWaitingPayment);
}
