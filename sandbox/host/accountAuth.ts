/** How an account proves that it agreed: by signatures of its signers, of its medium threshold together. */
import type { xdr } from '@stellar/stellar-sdk';
import { accountKey } from '../ledger/keys.ts';
import { accountOf } from '../ledger/state.ts';
import { contractError, errorOf, HostError } from './errors.ts';
import { failMissing } from './host.ts';
import type { Host } from './host.ts';
import { isSignedBy, signerWeight, thresholdOf } from './signatures.ts';
import { bytes, fieldOf, u32 } from './values.ts';
import type { Value } from './values.ts';

const MAX_ACCOUNT_SIGNATURES = 20;

/** Checks an account's signatures: a vector of maps `public_key`, `signature`, in the order of the keys. */
export function checkAccountSignatures(
  host: Host,
  id: xdr.AccountId,
  payload: Uint8Array,
  signature: Value,
): void {
  if (signature.type !== 'scvVec' || !signature.vec) throw new HostError(errorOf('Value', 'UnexpectedType'));
  const signatures = signature.vec;
  const refuse = (message: string, ...args: Value[]) =>
    host.fail(contractError('authentication'), message, ...args);
  if (signatures.length > MAX_ACCOUNT_SIGNATURES) refuse('too many account signers', u32(signatures.length));
  if (signatures.length === 0) refuse('no account signatures found');

  const account = readAccount(host, id);
  let weight = 0;
  let previous: Uint8Array | undefined;
  for (const value of signatures) {
    const key = bytesField(host, value, 'public_key', 32);
    const signed = bytesField(host, value, 'signature', 64);
    if (previous && Buffer.compare(previous, key) >= 0) {
      refuse('public keys are not ordered', bytes(previous), bytes(key));
    }
    host.meter.signatureChecks++;
    if (!isSignedBy(key, payload, signed)) {
      host.fail(errorOf('Crypto', 'InvalidInput'), 'failed ED25519 verification');
    }
    const added = signerWeight(account, key);
    if (added === 0) refuse('signer does not belong to account', bytes(key));
    weight += added;
    previous = key;
  }
  const threshold = thresholdOf(account, 'medium');
  if (weight < threshold) refuse('signature weight is lower than threshold', u32(weight), u32(threshold));
}

export function readAccount(host: Host, id: xdr.AccountId): xdr.AccountEntry {
  const key = accountKey(id);
  return accountOf(host.read(key)) ?? failMissing(host, key);
}

function bytesField(host: Host, value: Value, name: string, length: number): Uint8Array {
  const field = fieldOf(value, name);
  if (field?.type !== 'scvBytes') throw new HostError(errorOf('Value', 'UnexpectedType'));
  const found = field.bytes.value;
  if (found.length !== length) {
    host.fail(errorOf('Value', 'UnexpectedSize'), 'Bytes had unexpected size', u32(found.length));
  }
  return found;
}
