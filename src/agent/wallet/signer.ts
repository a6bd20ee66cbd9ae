import { xdr } from '@stellar/stellar-sdk';
import { keyFromSecret } from '../../stellar/key.ts';

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

/** The account of a secret key (S…). Throws if that is malformed. */
export function signerFromSecret(secret: string): AuthorizationSigner {
  const key = keyFromSecret(secret);
  return {
    address: key.address,
    signAuthorization: (hash) => accountSignature(key.publicKey, key.sign(hash)),
  };
}

/** An account's signatures: a vector of maps, here of one. */
function accountSignature(publicKey: Uint8Array, signature: Uint8Array): xdr.ScVal {
  const field = (name: string, value: Uint8Array): xdr.ScMapEntry =>
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(value) });
  const signed = xdr.ScVal.scvMap([field('public_key', publicKey), field('signature', signature)]);
  return xdr.ScVal.scvVec([signed]);
}
