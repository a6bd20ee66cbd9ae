import type { Writable } from 'node:stream';
import { LOG_LIMITS } from './limits.ts';

/** Lines for whoever runs the server: JSON on stderr, since stdout belongs to the protocol. */
export interface McpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

type Write = (line: string) => void;

/** `hidden` are texts that must never stand in a line, whatever it is about. */
export function createMcpLog(hidden: readonly string[], write: Write = linesTo(process.stderr)): McpLog {
  const line =
    (level: string) =>
    (fields: object, message: string): void => {
      const text = JSON.stringify({ level, time: new Date().toISOString(), msg: message, ...fields }, asText);
      write(hidden.reduce((clean, secret) => clean.replaceAll(secret, '[hidden]'), text) + '\n');
    };
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Writes at once as long as somebody reads. Lines that find no room are lost; the next one that does tells how many. */
export function linesTo(stream: Writable): Write {
  let lost = 0;
  return (line) => {
    if (stream.writableLength + line.length > LOG_LIMITS.maxUnreadBytes) {
      lost += 1;
      return;
    }
    const told = lost;
    lost = 0;
    stream.write(told === 0 ? line : lostLine(told) + line, (error) => {
      if (error) lost += told + 1;
    });
  };
}

/** Begins on a line of its own: a full disk may have cut the one before. */
function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `\n${JSON.stringify({ level: 'warn', time, msg: 'log lines were lost', lines })}\n`;
}

const MAX_STACK_CHARS = 4 * 1024;

/** Errors by their text alone: libraries hang requests and headers on theirs. Amounts are text. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return (value.stack ?? value.message).slice(0, MAX_STACK_CHARS);
  return value;
}
