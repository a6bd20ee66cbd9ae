import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { StrKey, xdr } from '@stellar/stellar-sdk';

/** Who pays, and how that address proves that it agreed. Another one than {@link signerFromSecret} pays for contracts. */
export interface AuthorizationSigner {
  /** G… or C…. */
  readonly address: string;
  /**
   * The signature of an authorization: what the address's own check expects. `hash` is the SHA-256 of the entry's
   * preimage, which is what an ed25519 key signs; `entry` is what it stands for, still unsigned.
   */
  signAuthorization(hash: Uint8Array, entry: xdr.SorobanAuthorizationEntry): xdr.ScVal | Promise<xdr.ScVal>;
}

/** PKCS #8 around a raw ed25519 seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/** The account of a secret key (S…). Throws where that is malformed. */
export function signerFromSecret(secret: string): AuthorizationSigner {
  const der = Buffer.concat([PKCS8_PREFIX, StrKey.decodeEd25519SecretSeed(secret)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(-PUBLIC_KEY_BYTES);
  return {
    address: StrKey.encodeEd25519PublicKey(publicKey),
    signAuthorization: (hash) => accountSignature(publicKey, sign(null, hash, key)),
  };
}

/** An account's signatures: a vector of maps, here of one. */
function accountSignature(publicKey: Uint8Array, signature: Uint8Array): xdr.ScVal {
  const field = (name: string, value: Uint8Array): xdr.ScMapEntry =>
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(value) });
  const signed = xdr.ScVal.scvMap([field('public_key', publicKey), field('signature', signature)]);
  return xdr.ScVal.scvVec([signed]);
}
