import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { StrKey } from '@stellar/stellar-sdk';

/** An account's ed25519 key. */
export interface Key {
  /** G…. */
  readonly address: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Returns a signature of 64 bytes. */
  sign(hash: Uint8Array): Uint8Array;
}

/** The PKCS #8 bytes before a raw ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/**
 * Returns the key of a secret seed (S…). Uses node:crypto, since the SDK signs in JavaScript at several times the cost.
 * Throws if the seed is malformed.
 */
export function keyFromSecret(secret: string): Key {
  const der = Buffer.concat([PKCS8_PREFIX, StrKey.decodeEd25519SecretSeed(secret)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(-PUBLIC_KEY_BYTES);
  return {
    address: StrKey.encodeEd25519PublicKey(publicKey),
    publicKey,
    sign: (hash) => sign(null, hash, key),
  };
}
