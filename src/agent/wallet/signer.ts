import { xdr } from '@stellar/stellar-sdk';
import { keyFromSecret } from '../../stellar/key.ts';

/** Holds the address that pays, and signs for it. A contract needs a signer other than {@link signerFromSecret}. */
export interface AuthorizationSigner {
  /** G… or C…. */
  readonly address: string;
  /**
   * Returns the signature of an authorization, as the address's own check expects it. `hash` is the SHA-256 of the
   * entry's preimage, which an ed25519 key signs. `entry` is the entry itself, still unsigned.
   */
  signAuthorization(hash: Uint8Array, entry: xdr.SorobanAuthorizationEntry): xdr.ScVal | Promise<xdr.ScVal>;
}

/** Returns a signer for the account of a secret key (S…). Throws if the key is malformed. */
export function signerFromSecret(secret: string): AuthorizationSigner {
  const key = keyFromSecret(secret);
  return {
    address: key.address,
    signAuthorization: (hash) => accountSignature(key.publicKey, key.sign(hash)),
  };
}

/** Returns an account's signatures: a vector of maps, here with one map. */
function accountSignature(publicKey: Uint8Array, signature: Uint8Array): xdr.ScVal {
  const field = (name: string, value: Uint8Array): xdr.ScMapEntry =>
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(value) });
  const signed = xdr.ScVal.scvMap([field('public_key', publicKey), field('signature', signature)]);
  return xdr.ScVal.scvVec([signed]);
}
