import { createHash } from 'node:crypto';
import { Keypair, StrKey } from '@stellar/stellar-sdk';
import { baseAddress } from './addresses.ts';

const PREFIX = 'Stellar Signed Message:\n';

/** True for G… and M…. A contract has no key. */
export const hasKey = (address: string): boolean => StrKey.isValidEd25519PublicKey(baseAddress(address));

/**
 * True if the key of an account (G…, or the one behind M…) signed the message as SEP-53 says. The message is text or
 * raw bytes, the signature 64 bytes. False for C… and W….
 *
 * What the ledger says of the account's signers does not count.
 */
export function isSignedBy(address: string, message: string | Uint8Array, signature: Uint8Array): boolean {
  if (!hasKey(address)) return false;
  const hash = createHash('sha256').update(PREFIX).update(message).digest();
  // The SDK is slower than node:crypto, but refuses keys of small order, for which anybody can sign, on every Node.
  return Keypair.fromPublicKey(baseAddress(address)).verify(hash, signature);
}
