import type { Config, Secrets } from './config.ts';

/** A shorter piece of an RPC URL, such as `/rpc`, identifies no account at a provider, and is not hidden. */
const KEY_LIKE_CHARS = 8;
/** A shorter user name or password is not hidden, since it would occur all over an ordinary text. */
const CREDENTIAL_LIKE_CHARS = 4;

/**
 * Returns the texts that must never be logged: the secret keys, the secrets that sign calls, the keys of receipts, the
 * operator's token, the database's password, the headers for the collector of spans, and parts of URLs that may be a provider's key.
 */
export function hiddenTexts(
  { rpcUrls, tracing, webhooks }: Pick<Config, 'rpcUrls' | 'tracing' | 'webhooks'>,
  secrets: Secrets,
): string[] {
  const {
    submitterSecrets,
    feeBumpSecret = '',
    policyCheckSecret = '',
    webhookSecret = '',
    operatorToken = '',
    receiptSeeds = [],
    databaseUrl,
    tracingHeaders = {},
  } = secrets;
  const passwords = databaseUrl === undefined ? [] : passwordsIn(databaseUrl);
  const texts = [
    ...submitterSecrets,
    feeBumpSecret,
    policyCheckSecret,
    webhookSecret,
    operatorToken,
    ...receiptSeeds,
    ...passwords,
    ...Object.values(tracingHeaders).flatMap(credentialsIn),
    ...[...rpcUrls, tracing?.url ?? [], webhooks?.url ?? []].flat().flatMap(keysIn),
  ];
  return texts.filter((text) => text !== '');
}

/** Returns the password of a database's URL, which may also be a parameter. */
function passwordsIn(databaseUrl: string): string[] {
  const { password, searchParams } = new URL(databaseUrl);
  const texts = [password, decoded(password), ...searchParams.getAll('password')];
  return texts.filter((text) => text.length >= CREDENTIAL_LIKE_CHARS);
}

/** Returns a header's value, and the part of it that follows a word such as `Bearer`. */
function credentialsIn(value: string): string[] {
  const texts = [value, value.replace(/^\S+\s+/, '')];
  return texts.filter((text) => text.length >= CREDENTIAL_LIKE_CHARS);
}

function keysIn(url: string): string[] {
  const { pathname, search, username, password } = new URL(url);
  const pieces = `${pathname}${search}`.split(/[/?&=]/).filter((piece) => piece.length >= KEY_LIKE_CHARS);
  const names = [username, password].filter((part) => part.length >= CREDENTIAL_LIKE_CHARS);
  const texts = [...pieces, ...names].flatMap((text) => [text, decoded(text)]);
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return [username || password ? credentials : '', ...texts];
}

/** Decodes a text as a server does. Returns a text that cannot be decoded as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
