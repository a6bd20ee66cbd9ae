/** Lines for whoever runs the server: JSON on stderr, since stdout belongs to the protocol. */
export interface McpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

type Write = (line: string) => void;

/** `hidden` are texts that must never stand in a line, whatever it is about. */
export function createMcpLog(hidden: readonly string[], write: Write = toStderr): McpLog {
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      const text = JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }, asText);
      write(hidden.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text) + '\n');
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

function toStderr(line: string): void {
  process.stderr.write(line);
}

const MAX_STACK_CHARS = 4 * 1024;

/** Errors by their text alone: libraries hang requests and headers on theirs. Amounts are text. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return (value.stack ?? value.message).slice(0, MAX_STACK_CHARS);
  return value;
}
