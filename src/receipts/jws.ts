/** JSON Web Signatures in their compact form (RFC 7515), as far as receipts need them. */

export const ALGORITHM = 'EdDSA';
/** Keeps other tokens of the same key, if ever there are any, from being taken for receipts. */
export const TYPE = 'settlement-receipt+jws';

export const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns undefined for what is not an object in JSON. */
export function decodePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
