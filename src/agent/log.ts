import type { Writable } from 'node:stream';
import { createLog, withoutHidden, type Log } from '../log/log.ts';
import { lostLine } from '../log/lostLine.ts';

type Write = (line: string) => void;

/** The most bytes that wait for a reader. Further lines are lost, and counted. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Creates the log for the operator: JSON lines on stderr, since stdout belongs to the protocol. Keeps the texts in
 * `hidden` out of every line. Writes each line at once: a signed payment must be on record before it is sent, even if
 * the process is killed.
 */
export function createMcpLog(hidden: readonly string[], write: Write = linesTo(process.stderr)): Log {
  return createLog(hidden, { write: (line) => write(withoutHidden(line, hidden)) });
}

/** Writes at once while somebody reads. Lines that find no room are lost; the next one that does says how many. */
export function linesTo(stream: Writable, maxUnreadBytes = MAX_UNREAD_BYTES): Write {
  let lost = 0;
  return (line) => {
    if (stream.writableLength + line.length > maxUnreadBytes) {
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
