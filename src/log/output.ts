import { write as startWrite, writeSync } from 'node:fs';
import { createHeldLines, type HeldLines } from './heldLines.ts';
import { lostLine } from './lostLine.ts';

/** Lines are gathered up to this size, or for this long, before they are written: one write per line is expensive. */
const WRITE_BYTES = 4 * 1024;
const WRITE_INTERVAL_MS = 100;
/** Beyond this, lines are lost: a reader that has stopped must not fill the memory. */
const UNWRITTEN_LIMIT_BYTES = 4 * 1024 * 1024;
/** The pause after a write that failed. It doubles until a write succeeds. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;
/** At the end of the process, the last lines get this long to be written. */
const FLUSH_WITHIN_MS = 1_000;

export interface LogOutput {
  /** Takes a whole line. Never waits and never throws: a line that cannot be written is lost, and counted. */
  write(line: string): void;
  /** Waits until all lines are written or lost, FLUSH_WITHIN_MS at most. */
  flush(): Promise<void>;
  /** Returns the number of lines that were lost so far. */
  lostLines(): number;
}

interface Output {
  readonly fd: number;
  readonly held: HeldLines;
  isWriting: boolean;
  isPausing: boolean;
  pauseMs: number;
  /** Set while lines are gathered, and during a pause. */
  timer: NodeJS.Timeout | undefined;
  /** Called when everything is written or lost. */
  onFlushed: (() => void) | undefined;
}

/**
 * Writes the log, and can neither stop the process nor keep it from ending. While nobody reads, it holds lines up to
 * UNWRITTEN_LIMIT_BYTES. Lines that a full disk does not take are lost at once. Writes to `fd` must fail instead of
 * waiting. `shown` makes the text of a line, which may be several lines.
 */
export function openLogOutput(fd: number, shown = (line: string): string => line): LogOutput {
  const output: Output = {
    fd,
    held: createHeldLines(UNWRITTEN_LIMIT_BYTES, (lost) => shown(lostLine(lost))),
    isWriting: false,
    isPausing: false,
    pauseMs: MIN_PAUSE_MS,
    timer: undefined,
    onFlushed: undefined,
  };
  process.once('exit', () => writeLast(output));
  return {
    write(line) {
      output.held.add(shown(line));
      schedule(output);
    },
    flush: () => flush(output),
    lostLines: () => output.held.lostLines(),
  };
}

function schedule(output: Output): void {
  const { held, isWriting, isPausing } = output;
  if (isWriting || isPausing) return;
  if (held.waitingBytes() >= WRITE_BYTES) writeOn(output);
  else if (held.isWaiting()) output.timer ??= setTimeout(writeOn, WRITE_INTERVAL_MS, output).unref();
}

function writeOn(output: Output): void {
  const { fd, held } = output;
  clearTimeout(output.timer);
  output.timer = undefined;
  output.isPausing = false;
  const bytes = held.next();
  if (bytes.length === 0) return output.onFlushed?.();
  output.isWriting = true;
  startWrite(fd, bytes, (error, count) => {
    output.isWriting = false;
    if (error) return onFailure(output, error);
    output.pauseMs = MIN_PAUSE_MS;
    held.wrote(count);
    if (count < bytes.length || output.onFlushed) writeOn(output);
    else schedule(output);
  });
}

function onFailure(output: Output, { code }: NodeJS.ErrnoException): void {
  // EAGAIN means that the reader is behind: the lines wait for it.
  if (code !== 'EAGAIN') {
    output.held.lose();
    output.onFlushed?.();
  }
  output.isPausing = true;
  output.timer = setTimeout(writeOn, output.pauseMs, output).unref();
  output.pauseMs = Math.min(2 * output.pauseMs, MAX_PAUSE_MS);
}

async function flush(output: Output): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const giveUp = setTimeout(resolve, FLUSH_WITHIN_MS);
  output.onFlushed = resolve;
  output.pauseMs = MIN_PAUSE_MS;
  if (!output.isWriting) writeOn(output);
  await promise;
  clearTimeout(giveUp);
  output.onFlushed = undefined;
}

/** Writes what is left when the process ends. */
function writeLast({ fd, held, isWriting }: Output): void {
  // The process waits for a write that a thread has already begun.
  if (isWriting) held.wrote(held.next().length);
  try {
    for (let bytes = held.next(); bytes.length > 0; bytes = held.next()) held.wrote(writeSync(fd, bytes));
  } catch {
    // The last lines are lost.
  }
}
