/** Payments wait in the form in which they were sent: a thousand decoded ones would fill the memory. */
import { hash } from 'node:crypto';
import { baseAddress, scAddressText } from '../../stellar/addresses.ts';
import { usedCredentials } from '../verify/checks/authorization.ts';
import { invocationIn } from '../verify/checks/transaction.ts';
import type { SettleLimits } from '../limits.ts';
import { UNLIMITED_BUDGET } from './settlementJournal.ts';
import { decodeTransaction } from '../verify/payload.ts';
import type { EncodedPayment, Payment, PendingPayment, SettleRequest } from '../payment.ts';
import type { Names } from './parties.ts';

/** Returns the parties among which a line shares its places and its turns. */
export function partiesOf({ party, recipient, sender }: PendingPayment): Names {
  return { payer: party, recipient, sender };
}

/** Returns what `decoded` needs. */
export function encoded(payment: Payment): EncodedPayment {
  const { transaction, payer = '', payTo, asset, amount, maxTimeoutSeconds } = payment;
  return { transaction, payer, payTo, asset, amount, maxTimeoutSeconds };
}

export function pendingOf(
  payment: Payment,
  party: string,
  {
    listing,
    sender,
    budget = UNLIMITED_BUDGET,
    requestId,
    resource,
    paymentIdentifier,
    key,
  }: Omit<SettleRequest, 'paymentPayload' | 'paymentRequirements'>,
): PendingPayment {
  const used = usedCredentials(payment);
  return {
    ...encoded(payment),
    party,
    recipient: baseAddress(payment.payTo),
    authorization: authorizationOf(payment, used),
    lastLedger: used?.signatureExpirationLedger ?? 0,
    listing,
    sender,
    budget,
    requestId,
    resource,
    paymentIdentifier,
    key,
  };
}

/** Returns the `address:nonce` that a payment spends. */
export function authorizationOf(payment: Payment, used = usedCredentials(payment)): string {
  // Without credentials the payment will be refused, so it need not wait for another one.
  if (used === undefined) return hash('sha256', payment.transaction);
  return `${scAddressText(used.address)}:${used.nonce}`;
}

/** Decodes the same payment again. */
export function decoded(kept: EncodedPayment): Payment {
  const { transaction, payTo, asset, amount, maxTimeoutSeconds } = kept;
  const read = decodeTransaction({ transaction });
  const invocation = 'code' in read ? undefined : invocationIn(read.body);
  if (invocation === undefined) throw new Error('a payment that was decoded before cannot be decoded again');
  const payer = kept.payer === '' ? undefined : kept.payer;
  return { transaction, payTo, asset, amount, maxTimeoutSeconds, payer, ...invocation };
}

/** Returns how many places a payment takes while it waits. */
export function placesOf(
  { transaction, listing }: PendingPayment,
  { bytesPerWaitingPayment }: Pick<SettleLimits, 'bytesPerWaitingPayment'>,
): number {
  return Math.ceil((transaction.length + Buffer.byteLength(listing ?? '')) / bytesPerWaitingPayment);
}
