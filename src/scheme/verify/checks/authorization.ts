import type { xdr } from '@stellar/stellar-sdk';
import { scAddressText } from '../../../stellar/addresses.ts';
import { addressCredentials } from '../../../stellar/values.ts';
import { EXPIRATION_TOLERANCE_LEDGERS } from '../../limits.ts';
import type { Payment } from '../../payment.ts';
import { refuse, type Refusal } from '../../refusal.ts';

export interface AuthorizationBound {
  /** The raw public keys (32 bytes) of the facilitator's accounts. */
  facilitatorKeys: readonly Uint8Array[];
  /** The last ledger that an entry may name; see expirationBound. */
  expirationBound: number;
}

/** Returns the current ledger + ceil(maxTimeoutSeconds / seconds per ledger) + the tolerance. */
export function expirationBound(
  currentLedger: number,
  maxTimeoutSeconds: number,
  ledgerSeconds: number,
): number {
  return currentLedger + Math.ceil(maxTimeoutSeconds / ledgerSeconds) + EXPIRATION_TOLERANCE_LEDGERS;
}

/** Returns the last ledger that any of the payment's entries names; 0 if there is none. */
export function lastExpiration({ authorization }: Payment): number {
  return Math.max(
    0,
    ...authorization.map((entry) => addressCredentials(entry)?.signatureExpirationLedger ?? 0),
  );
}

/** Returns the credentials that the network will use: those of the payer's first entry for this very call. */
export function usedCredentials(payment: Payment): xdr.SorobanAddressCredentials | undefined {
  const { authorization, hostFunction, payer } = payment;
  const used = authorization.find((entry) => {
    const credentials = addressCredentials(entry);
    if (credentials === undefined || scAddressText(credentials.address) !== payer) return false;
    const { function: authorized } = entry.rootInvocation;
    return (
      authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' &&
      authorized.contractFn.equals(hostFunction.invokeContract)
    );
  });
  return used && addressCredentials(used);
}

/**
 * Checks the authorization entries. The simulation has checked the signatures, but it ignores entries that no call
 * uses. These checks cover them too.
 */
export function checkAuthorization(payment: Payment, bound: AuthorizationBound): Refusal | undefined {
  if (payment.authorization.length === 0) {
    return refuse(
      'invalid_exact_stellar_payload_no_auth_entries',
      'The operation carries no authorization entry.',
    );
  }
  // Most transactions hold no facilitator key at all; then no entry has to be searched for one.
  const transaction = Buffer.from(payment.transaction, 'base64');
  const facilitatorKeys = bound.facilitatorKeys.filter((key) => transaction.includes(key));
  for (const entry of payment.authorization) {
    const refusal = checkEntry(entry, { ...bound, facilitatorKeys });
    if (refusal !== undefined) return refusal;
  }
  return checkSignatures(payment);
}

function checkEntry(entry: xdr.SorobanAuthorizationEntry, bound: AuthorizationBound): Refusal | undefined {
  const credentials = addressCredentials(entry);
  if (credentials === undefined) {
    return refuse(
      'invalid_exact_stellar_payload_unsupported_credential_type',
      'Authorization entries must use address credentials.',
    );
  }
  if (namesAny(entry, bound.facilitatorKeys)) {
    return refuse(
      'invalid_exact_stellar_payload_facilitator_in_auth',
      'An authorization entry names an address of this facilitator.',
    );
  }
  if (credentials.signatureExpirationLedger > bound.expirationBound) {
    return refuse(
      'invalid_exact_stellar_signature_expiration_too_far',
      `An authorization entry expires in ledger ${credentials.signatureExpirationLedger}; maxTimeoutSeconds allows up to ledger ${bound.expirationBound}.`,
    );
  }
  if (entry.rootInvocation.subInvocations.length > 0) {
    return refuse(
      'invalid_exact_stellar_payload_has_subinvocations',
      'An authorization entry allows more than the transfer.',
    );
  }
  return undefined;
}

/**
 * True if one of the accounts appears anywhere in an entry: as signer, as recipient, deep in an argument, or muxed.
 * Every form of its address holds its key, which nothing else holds by accident.
 */
function namesAny(entry: xdr.SorobanAuthorizationEntry, keys: readonly Uint8Array[]): boolean {
  if (keys.length === 0) return false;
  const bytes = Buffer.from(entry.toXdr());
  return keys.some((key) => bytes.includes(key));
}

function checkSignatures({ authorization, payer }: Payment): Refusal | undefined {
  const entries = authorization.flatMap((entry) => addressCredentials(entry) ?? []);
  const signed = entries.filter(({ signature }) => signature.type !== 'scvVoid');
  if (!signed.some(({ address }) => payer !== undefined && scAddressText(address) === payer)) {
    return refuse('invalid_exact_stellar_payload_missing_payer_signature', 'The payer has not signed.');
  }
  if (signed.length < entries.length) {
    return refuse(
      'invalid_exact_stellar_payload_unexpected_pending_signatures',
      'An authorization entry still awaits a signature.',
    );
  }
  return undefined;
}
