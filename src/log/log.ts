import pino from 'pino';

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>;

/** From the most to the least that is logged. */
export const LOG_LEVELS = ['info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Logs nothing. Command-line tools use it, since they tell the user themselves what went wrong. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };

const CAUSE_DEPTH_LIMIT = 4;
const STACK_LIMIT_CHARS = 8 * 1024;
/** Codes of a server that does not answer. Where in the code it was asked tells nothing. */
const NO_ANSWER =
  /^(ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_\w*TIMEOUT|UND_ERR_SOCKET)$/;

/**
 * Creates a log of JSON lines. Errors are logged under `err`, with secrets removed from their texts, and the URLs of what
 * is sold under `resource`.
 */
export function createLog(
  hidden: readonly string[],
  destination: pino.DestinationStream,
  level: LogLevel = 'info',
): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error: unknown) => loggedError(error, hidden), resource: loggedUrl },
  };
  return pino(options, destination);
}

/** Returns a text that may be shown: the texts in `hidden` are replaced in it. */
export function withoutHidden(text: string, hidden: readonly string[]): string {
  return hidden.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[hidden]'), text);
}

/** Leaves out the parts of a URL that may hold secrets: credentials, query and fragment. */
function loggedUrl(url: unknown): unknown {
  return typeof url === 'string' ? url.replace(/[?#].*/s, '').replace(/^([a-z+.-]+:\/\/)[^/]*@/i, '$1') : url;
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
    ...(error.stack !== undefined && !isNoAnswer(error) && { stack: clean(error.stack) }),
    ...(error.cause !== undefined &&
      depth < CAUSE_DEPTH_LIMIT && { cause: loggedError(error.cause, hidden, depth + 1) }),
  };
}

function isNoAnswer(error: unknown, depth = 1): boolean {
  if (!(error instanceof Error) || depth > CAUSE_DEPTH_LIMIT) return false;
  return NO_ANSWER.test(String((error as NodeJS.ErrnoException).code)) || isNoAnswer(error.cause, depth + 1);
}
