import type { xdr } from '@stellar/stellar-sdk';
import { addressText, baseAddress, scAddressText } from '../addresses.ts';
import { EXPIRATION_TOLERANCE_LEDGERS } from '../limits.ts';
import type { Payment } from '../payment.ts';
import { refuse } from '../refusal.ts';
import type { Refusal } from '../refusal.ts';

export interface AuthorizationBound {
  facilitatorAddresses: ReadonlySet<string>;
  /** The last ledger that an entry may name; see expirationBound. */
  expirationBound: number;
}

/** Current ledger + ceil(maxTimeoutSeconds / seconds per ledger), and the tolerance (specification 4.1). */
export function expirationBound(
  currentLedger: number,
  maxTimeoutSeconds: number,
  ledgerSeconds: number,
): number {
  return currentLedger + Math.ceil(maxTimeoutSeconds / ledgerSeconds) + EXPIRATION_TOLERANCE_LEDGERS;
}

/** The last ledger that any of the payment's entries names; 0 where there is none. */
export function lastExpiration({ authorization }: Payment): number {
  return Math.max(
    0,
    ...authorization.map((entry) => addressCredentials(entry)?.signatureExpirationLedger ?? 0),
  );
}

/** The last ledger in which the entry that the network will use is valid: the payer's first for this very call. */
export function usedExpiration({ authorization, hostFunction, payer }: Payment): number {
  const used = authorization.find((entry) => {
    const credentials = addressCredentials(entry);
    if (credentials === undefined || scAddressText(credentials.address) !== payer) return false;
    const { function: authorized } = entry.rootInvocation;
    return (
      authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' &&
      authorized.contractFn.equals(hostFunction.invokeContract)
    );
  });
  return (used && addressCredentials(used)?.signatureExpirationLedger) ?? 0;
}

/**
 * The authorization entries (specification 4.1). The simulation has checked the signatures; it does not look at
 * entries that no call uses, and these checks do.
 */
export function checkAuthorization(payment: Payment, bound: AuthorizationBound): Refusal | undefined {
  if (payment.authorization.length === 0) {
    return refuse(
      'invalid_exact_stellar_payload_no_auth_entries',
      'The operation carries no authorization entry.',
    );
  }
  for (const entry of payment.authorization) {
    const refusal = checkEntry(entry, bound);
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
  if (
    addressesIn(entry, credentials).some((address) => bound.facilitatorAddresses.has(baseAddress(address)))
  ) {
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

/** Who signs, and whom the invocation names: a facilitator address must not even be paid (specification 1). */
function addressesIn(
  entry: xdr.SorobanAuthorizationEntry,
  credentials: xdr.SorobanAddressCredentials,
): string[] {
  const { function: authorized } = entry.rootInvocation;
  const args =
    authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' ? authorized.contractFn.args : [];
  return [scAddressText(credentials.address), ...args.map(addressText)].filter(
    (address) => address !== undefined,
  );
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

/** Address credentials of either form (CAP-71 adds V2, whose signature also binds the address). */
export function addressCredentials(
  entry: xdr.SorobanAuthorizationEntry,
): xdr.SorobanAddressCredentials | undefined {
  switch (entry.credentials.type) {
    case 'sorobanCredentialsAddress':
      return entry.credentials.address;
    case 'sorobanCredentialsAddressV2':
      return entry.credentials.addressV2;
    default:
      return undefined;
  }
}
