/** Payments wait in the form in which they were sent: a thousand decoded ones would fill the memory. */
import { hash } from 'node:crypto';
import { baseAddress, scAddressText } from '../../stellar/addresses.ts';
import { usedCredentials } from '../verify/checks/authorization.ts';
import { invocationIn } from '../verify/checks/transaction.ts';
import type { Waiter } from './fairLine.ts';
import type { SettleLimits } from '../limits.ts';
import { decodeTransaction } from '../verify/payload.ts';
import type { Payment, PendingPayment, SettleRequest } from '../payment.ts';

/** Returns the parties among which a line shares its places and its turns. */
export function partiesOf({ party, recipient }: PendingPayment): Pick<Waiter, 'payer' | 'recipient'> {
  return { payer: party, recipient };
}

export function pendingOf(
  payment: Payment,
  party: string,
  { listing, sender }: Pick<SettleRequest, 'listing' | 'sender'>,
): PendingPayment {
  const { transaction, payer = '', payTo, asset, amount, maxTimeoutSeconds } = payment;
  const used = usedCredentials(payment);
  return {
    transaction,
    payer,
    party,
    payTo,
    recipient: baseAddress(payTo),
    asset,
    amount,
    maxTimeoutSeconds,
    // Without credentials the payment will be refused, so it need not wait for another one.
    authorization:
      used === undefined ? hash('sha256', transaction) : `${scAddressText(used.address)}:${used.nonce}`,
    lastLedger: used?.signatureExpirationLedger ?? 0,
    listing,
    sender,
  };
}

/** Decodes the same payment again. */
export function decoded(pending: PendingPayment): Payment {
  const { transaction, payTo, asset, amount, maxTimeoutSeconds } = pending;
  const read = decodeTransaction({ transaction });
  const invocation = 'code' in read ? undefined : invocationIn(read.body);
  if (invocation === undefined) throw new Error('a payment that was decoded before cannot be decoded again');
  const payer = pending.payer === '' ? undefined : pending.payer;
  return { transaction, payTo, asset, amount, maxTimeoutSeconds, payer, ...invocation };
}

/** Returns how many places a payment takes while it waits. */
export function placesOf(
  { transaction, listing }: PendingPayment,
  { bytesPerWaitingPayment }: Pick<SettleLimits, 'bytesPerWaitingPayment'>,
): number {
  return Math.ceil((transaction.length + Buffer.byteLength(listing ?? '')) / bytesPerWaitingPayment);
}
