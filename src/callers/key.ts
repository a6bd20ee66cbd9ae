/** Makes and reads the keys that callers show: `sf_<id>_<secret>`. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 6;
const SECRET_BYTES = 32;
const PREFIX = 'sf_';
const KEY = /^sf_([0-9a-f]{12})_([\w-]{43})$/;
const KEY_ANYWHERE = /sf_[0-9a-f]{12}_[\w-]{43}/;

export interface NewKey {
  /** Public: lists, logs and commands name a key by it. */
  readonly id: string;
  /** The whole key, which only its caller keeps. */
  readonly text: string;
  /** Stands for the secret where keys are stored. */
  readonly secretHash: Uint8Array;
}

export function newKey(): NewKey {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, text: `${PREFIX}${id}_${secret}`, secretHash: hashOf(secret) };
}

export interface ShownKey {
  readonly id: string;
  readonly secret: string;
}

/** Returns undefined if the text is not a whole key. */
export function readKey(text: string): ShownKey | undefined {
  const [, id, secret] = KEY.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** True if a text claims to be a key of this service, even a broken one. */
export const looksLikeKey = (text: string): boolean => text.startsWith(PREFIX);

export const containsKey = (text: string): boolean => KEY_ANYWHERE.test(text);

export const isKeyId = (text: string): boolean => /^[0-9a-f]{12}$/.test(text);

/** True if the hash is that of the key's secret. Compares in constant time. False for a damaged hash. */
export function isSecretOf({ secret }: ShownKey, secretHash: Uint8Array): boolean {
  const shown = hashOf(secret);
  return secretHash.length === shown.length && timingSafeEqual(shown, secretHash);
}

/** Hashes fast: nobody can guess a secret of 256 random bits, however many they try. */
const hashOf = (secret: string): Uint8Array => hash('sha256', secret, 'buffer');
