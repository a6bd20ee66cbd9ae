import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { ALGORITHM, decodePart, TYPE } from './jws.ts';

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;

/**
 * Checks a receipt with the keys of a JSON Web Key Set. Returns what it states, or why nobody should believe it. Both may
 * be any text and any JSON value.
 */
export function verifyReceipt(
  jws: string,
  keySet: unknown,
): { statement: Record<string, unknown> } | { problem: string } {
  const [, head = '', body = '', signature = ''] = COMPACT.exec(jws) ?? [];
  const header = decodePart(head);
  if (header === undefined) return { problem: 'it is not a JSON Web Signature in compact form' };
  if (header['alg'] !== ALGORITHM || header['typ'] !== TYPE || 'crit' in header)
    return { problem: 'it is signed, but it is not a receipt of a settlement' };
  const key = keyIn(keySet, header['kid']);
  if (key === undefined)
    return { problem: 'the keys have none that it names (kid): fetch them again from the facilitator' };
  const isGood = verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  if (!isGood) return { problem: 'the signature is wrong' };
  const statement = decodePart(body);
  return statement === undefined ? { problem: 'it states nothing' } : { statement };
}

/** Returns the Ed25519 key of this id; undefined if there is none. */
function keyIn(keySet: unknown, kid: unknown): KeyObject | undefined {
  const { keys } = (keySet ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys) || typeof kid !== 'string') return undefined;
  const jwk = (keys as ({ kid?: unknown; crv?: unknown; x?: unknown } | null)[]).find(
    (one) => one?.kid === kid,
  );
  if (jwk?.crv !== 'Ed25519' || typeof jwk.x !== 'string') return undefined;
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: jwk.crv, x: jwk.x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
