import { write as startWrite, writeSync } from 'node:fs';
import { createHeldLines } from './heldLines.ts';

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
}

/**
 * Writes the log, and can neither stop the process nor keep it from ending. While nobody reads, it holds lines up to
 * UNWRITTEN_LIMIT_BYTES. Lines that a full disk does not take are lost at once. Writes to `fd` must fail instead of
 * waiting.
 */
export function openLogOutput(fd: number): LogOutput {
  const held = createHeldLines(UNWRITTEN_LIMIT_BYTES);
  let isWriting = false;
  let isPausing = false;
  let pauseMs = MIN_PAUSE_MS;
  /** Set while lines are gathered, and during a pause. */
  let timer: NodeJS.Timeout | undefined;
  /** Called when everything is written or lost. */
  let onFlushed: (() => void) | undefined;

  function writeOn(): void {
    clearTimeout(timer);
    timer = undefined;
    isPausing = false;
    const bytes = held.next();
    if (bytes.length === 0) return onFlushed?.();
    isWriting = true;
    startWrite(fd, bytes, (error, count) => {
      isWriting = false;
      if (error) return onFailure(error);
      pauseMs = MIN_PAUSE_MS;
      held.wrote(count);
      if (count < bytes.length || onFlushed) writeOn();
      else schedule();
    });
  }

  function onFailure({ code }: NodeJS.ErrnoException): void {
    // EAGAIN means that the reader is behind: the lines wait for it.
    if (code !== 'EAGAIN') {
      held.lose();
      onFlushed?.();
    }
    isPausing = true;
    timer = setTimeout(writeOn, pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }

  function schedule(): void {
    if (isWriting || isPausing) return;
    if (held.waitingBytes() >= WRITE_BYTES) writeOn();
    else if (held.isWaiting()) timer ??= setTimeout(writeOn, WRITE_INTERVAL_MS).unref();
  }

  process.once('exit', () => {
    // The process waits for a write that a thread has already begun.
    if (isWriting) held.wrote(held.next().length);
    try {
      for (let bytes = held.next(); bytes.length > 0; bytes = held.next()) held.wrote(writeSync(fd, bytes));
    } catch {
      // The last lines are lost.
    }
  });

  return {
    write(line) {
      held.add(line);
      schedule();
    },
    async flush() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const giveUp = setTimeout(resolve, FLUSH_WITHIN_MS);
      onFlushed = resolve;
      pauseMs = MIN_PAUSE_MS;
      if (!isWriting) writeOn();
      await promise;
      clearTimeout(giveUp);
      onFlushed = undefined;
    },
  };
}
