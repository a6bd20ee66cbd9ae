import pino from 'pino';
import type { Config, Secrets } from '../config/config.ts';

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>;

/** For command-line tools, which tell the user themselves what went wrong. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };

const CAUSE_DEPTH_LIMIT = 4;
const STACK_LIMIT_CHARS = 8 * 1024;
/** A shorter piece of an RPC URL, such as `/rpc`, identifies no account at a provider, and is not hidden. */
const KEY_LIKE_CHARS = 8;
/** A shorter user name or password is not hidden, since it would occur all over an ordinary text. */
const CREDENTIAL_LIKE_CHARS = 4;

/** Creates a log of JSON lines. Errors are logged under `err`, with secrets removed from their texts. */
export function createLog(hidden: readonly string[], destination: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { err: (error: unknown) => loggedError(error, hidden) },
  };
  return pino(options, destination);
}

/** Returns the texts that must never be logged: the secret keys, and parts of RPC URLs that may be a provider's key. */
export function hiddenTexts({ rpcUrls }: Config, { submitterSecrets, feeBumpSecret }: Secrets): string[] {
  const texts = [...submitterSecrets, feeBumpSecret ?? '', ...rpcUrls.flatMap(keysIn)];
  return texts.filter((text) => text !== '');
}

function keysIn(rpcUrl: string): string[] {
  const { pathname, search, username, password } = new URL(rpcUrl);
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

/** Returns a text that may be shown: the texts from {@link hiddenTexts} are replaced in it. */
export function withoutHidden(text: string, hidden: readonly string[]): string {
  return hidden.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[hidden]'), text);
}

interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: LoggedError;
}

/** Keeps only the texts of an error, since libraries attach requests, headers and addresses to theirs. */
function loggedError(error: unknown, hidden: readonly string[], depth = 1): LoggedError {
  const clean = (text: string): string => withoutHidden(text, hidden).slice(0, STACK_LIMIT_CHARS);
  if (!(error instanceof Error)) return { type: typeof error, message: clean(String(error)) };
  return {
    type: error.name,
    message: clean(error.message),
    ...(error.stack !== undefined && { stack: clean(error.stack) }),
    ...(error.cause !== undefined &&
      depth < CAUSE_DEPTH_LIMIT && { cause: loggedError(error.cause, hidden, depth + 1) }),
  };
}
