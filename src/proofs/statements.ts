/** Reads which recipients an answer of an origin names. What cannot be read names nobody. */
import { parse } from 'smol-toml';

/** Reads `/.well-known/x402-owner`: `{ "payTo": ["G…", …] }`. */
export function namedInOwnerFile(text: string): string[] {
  return textsAt(parsed(text), 'payTo');
}

/** Reads `ACCOUNTS` of SEP-1's `stellar.toml`: accounts only, as the standard has it. */
export function namedInStellarToml(text: string): string[] {
  try {
    return textsAt(parse(text), 'ACCOUNTS').filter((account) => account.startsWith('G'));
  } catch {
    return [];
  }
}

/** Reads a 402: its header (x402 version 2), or its body if there is no such header. */
export function namedInTerms(header: string | null, body: string): string[] {
  const accepts = valueAt(
    parsed(header === null ? body : Buffer.from(header, 'base64').toString('utf8')),
    'accepts',
  );
  const terms: unknown[] = Array.isArray(accepts) ? accepts : [];
  return terms.map((entry) => valueAt(entry, 'payTo')).filter(isText);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function textsAt(value: unknown, name: string): string[] {
  const found = valueAt(value, name);
  return Array.isArray(found) ? found.filter(isText) : [];
}

function valueAt(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
