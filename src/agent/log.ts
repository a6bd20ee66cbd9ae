import type { Writable } from 'node:stream';
import { lostLine } from '../log/lostLine.ts';
import { LOG_LIMITS } from './limits.ts';

/** Writes log lines for the operator: JSON on stderr, since stdout belongs to the protocol. */
export interface McpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

type Write = (line: string) => void;

/** Keeps the texts in `hidden` out of every line. */
export function createMcpLog(hidden: readonly string[], write: Write = linesTo(process.stderr)): McpLog {
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      const text = JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }, asText);
      write(hidden.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text) + '\n');
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Writes at once while somebody reads. Lines that find no room are lost; the next one that does says how many. */
export function linesTo(stream: Writable): Write {
  let lost = 0;
  return (line) => {
    if (stream.writableLength + line.length > LOG_LIMITS.maxUnreadBytes) {
      lost += 1;
      return;
    }
    const told = lost;
    lost = 0;
    // The notice starts on a new line, since a full disk may have cut the previous one.
    stream.write(told === 0 ? line : `\n${lostLine(told)}${line}`, (error) => {
      if (error) lost += told + 1;
    });
  };
}

const MAX_STACK_CHARS = 4 * 1024;

/** Logs only the text of an error, since libraries attach requests and headers to theirs. Writes bigints as text. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return (value.stack ?? value.message).slice(0, MAX_STACK_CHARS);
  return value;
}
