import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { StrKey } from '@stellar/stellar-sdk';

/** An account's ed25519 key. */
export interface Key {
  /** G…. */
  readonly address: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Returns a signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** The PKCS #8 bytes before a raw ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/**
 * Returns the key of a secret seed (S…). Uses node:crypto, since the SDK signs in JavaScript at several times the cost.
 * Throws if the seed is malformed.
 */
export function keyFromSecret(secret: string): Key {
  const key = keyFromSeed(StrKey.decodeEd25519SecretSeed(secret));
  return { ...key, address: StrKey.encodeEd25519PublicKey(Buffer.from(key.publicKey)) };
}

/** Returns the ed25519 key of a seed of 32 bytes. */
export function keyFromSeed(seed: Uint8Array): Omit<Key, 'address'> {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { publicKey: spki.subarray(-PUBLIC_KEY_BYTES), sign: (bytes) => sign(null, bytes, key) };
}
