import { lostLine } from './lostLine.ts';

const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Holds lines on their way to a file that may take only some of them, or none. Counts those that are lost. */
export interface HeldLines {
  /** Takes a whole line, or counts it as lost if too much is held already. */
  add(line: string): void;
  /** Returns the bytes of the lines that `next` has not gathered yet. */
  waitingBytes(): number;
  /** True when there is more to write than was gathered. */
  isWaiting(): boolean;
  /** Returns the bytes to write next: the rest of those begun, or else all held lines. Empty if there are none. */
  next(): Buffer;
  /** Records that this many bytes of `next` were written. */
  wrote(count: number): void;
  /** Gives up what is held, and counts it as lost. */
  lose(): void;
  /** Returns the number of lines that were lost so far. */
  lostLines(): number;
}

/**
 * Holds at most `limitBytes`. After a loss, the next write begins with a line that says how many lines were lost. A
 * line that was cut stays cut, and the next one starts on a new line.
 */
export function createHeldLines(limitBytes: number, noticeOf = lostLine): HeldLines {
  let lines: string[] = [];
  let linesBytes = 0;
  /** The bytes to write, with the notice of lost lines first; the notice's size; and how many bytes are written. */
  let chunk = NOTHING;
  let noticeBytes = 0;
  let writtenBytes = 0;
  let isLineCut = false;
  let lost = 0;
  let lostBefore = 0;
  /** The number of lost lines in the chunk's notice, until the notice is written. */
  let beingTold = 0;

  function gather(): void {
    const notice = (isLineCut ? '\n' : '') + (lost > 0 ? noticeOf(lost) : '');
    chunk = Buffer.from(notice + lines.join(''));
    noticeBytes = Buffer.byteLength(notice);
    beingTold = lost;
    writtenBytes = 0;
    [lines, linesBytes] = [[], 0];
  }

  return {
    add(line) {
      const bytes = Buffer.byteLength(line);
      if (chunk.length - writtenBytes + linesBytes + bytes > limitBytes) {
        lost += 1;
        return;
      }
      lines.push(line);
      linesBytes += bytes;
    },
    waitingBytes: () => linesBytes,
    isWaiting: () => lines.length > 0 || lost > beingTold,
    next() {
      if (writtenBytes === chunk.length) gather();
      return chunk.subarray(writtenBytes);
    },
    wrote(count) {
      if (count === 0) return;
      writtenBytes += count;
      isLineCut = chunk[writtenBytes - 1] !== LINE_END;
      // The notice counts as written even without its line end: the next write begins with one.
      if (writtenBytes < noticeBytes - 1) return;
      lost -= beingTold;
      lostBefore += beingTold;
      beingTold = 0;
    },
    lose() {
      // A line that lacks only its line end is not lost.
      const wholeBytes = writtenBytes + (isLineCut && chunk[writtenBytes] === LINE_END ? 1 : 0);
      const unwritten = chunk.subarray(Math.max(wholeBytes, noticeBytes));
      lost += lines.length + unwritten.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0);
      [lines, linesBytes] = [[], 0];
      [chunk, noticeBytes, writtenBytes, beingTold] = [NOTHING, 0, 0, 0];
    },
    lostLines: () => lostBefore + lost,
  };
}
