import { StrKey } from '@stellar/stellar-sdk';
import { keyFromSecret } from '../stellar/key.ts';

/** Returns what is wrong with a text as a secret key, without repeating any part of it; undefined if it is a key. */
export function secretKeyProblem(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (StrKey.isValidEd25519SecretSeed(text)) return undefined;
  if (StrKey.isValidEd25519PublicKey(text)) {
    return 'is a public key (G…): put the secret key (S…) of that account here';
  }
  return 'is not a Stellar secret key (S and 55 more characters): check for a missing or wrong character';
}

/** True when a secret key is anywhere in a text, in any case (a URL's host is read in lower case). */
export function containsSecretKey(text: string): boolean {
  const candidates = [...text.toUpperCase().matchAll(/(?=(S[A-Z2-7]{55}))/g)];
  return candidates.some(([, candidate]) => StrKey.isValidEd25519SecretSeed(candidate ?? ''));
}

export function publicKeyOf(secret: string): string {
  return keyFromSecret(secret).address;
}
