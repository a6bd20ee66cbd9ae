import pino from 'pino';

export type Log = Pick<pino.Logger, 'info' | 'warn' | 'error'>;

/** Logs nothing. Command-line tools use it, since they tell the user themselves what went wrong. */
export const SILENT_LOG: Log = { info: () => {}, warn: () => {}, error: () => {} };

const CAUSE_DEPTH_LIMIT = 4;
const STACK_LIMIT_CHARS = 8 * 1024;

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

/** Returns a text that may be shown: the texts in `hidden` are replaced in it. */
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
