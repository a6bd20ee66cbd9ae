import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { StrKey } from '@stellar/stellar-sdk';

/** An account of this facilitator that signs: its public address, and its key behind a function. */
export interface Signer {
  address: string;
  /** The ed25519 signature (64 bytes) of a transaction hash. */
  sign(hash: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** PKCS #8 around a raw ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_LENGTH = 32;

/**
 * A signer from a secret seed (S…), on node:crypto: the SDK signs in JavaScript, at several times the cost. Throws
 * where the seed is malformed.
 */
export function signerFromSecret(secret: string): Signer {
  const der = Buffer.concat([PKCS8_PREFIX, StrKey.decodeEd25519SecretSeed(secret)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { address: addressOf(key), sign: (hash) => sign(null, hash, key) };
}

function addressOf(key: KeyObject): string {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return StrKey.encodeEd25519PublicKey(spki.subarray(-PUBLIC_KEY_LENGTH));
}
