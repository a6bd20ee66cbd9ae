/** Checks who signed: ed25519 signatures, and the weights of an account's signers. */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { xdr } from '@stellar/stellar-sdk';
import { rawAccountId, sameBytes } from './values.ts';

/** The start of an ed25519 public key in SubjectPublicKeyInfo form (RFC 8410); the raw key follows. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const MAX_WEIGHT = 255;

function publicKey(raw: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
}

/** Returns false for a wrong signature, and for bytes that are not a key. */
export function isSignedBy(rawKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, message, publicKey(rawKey), signature);
  } catch {
    return false;
  }
}

/** Returns the weight that an ed25519 key has on an account; 0 if it is not one of its signers. */
export function signerWeight(account: xdr.AccountEntry, rawKey: Uint8Array): number {
  if (sameBytes(rawKey, rawAccountId(account.accountId))) return account.thresholds.value[0] ?? 0;
  const signer = account.signers.find(
    ({ key }) => key.type === 'signerKeyTypeEd25519' && sameBytes(key.ed25519.value, rawKey),
  );
  return Math.min(signer?.weight ?? 0, MAX_WEIGHT);
}

/** The index into an account's thresholds, by the kind of operation. */
export const THRESHOLD = { low: 1, medium: 2, high: 3 } as const;

export function thresholdOf(account: xdr.AccountEntry, level: keyof typeof THRESHOLD): number {
  return account.thresholds.value[THRESHOLD[level]] ?? 0;
}
