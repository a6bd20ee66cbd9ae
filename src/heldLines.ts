const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Lines on their way to a file that may take a part of them, or nothing. Those that it does not get are counted. */
export interface HeldLines {
  /** Takes a whole line, or counts it as lost where too much is held already. */
  add(line: string): void;
  /** Bytes of the lines that `next` has not gathered yet. */
  waitingBytes(): number;
  /** Whether there is more to write than what was gathered. */
  isWaiting(): boolean;
  /** What is to be written next: the rest of what was begun, else all lines that are held, gathered; empty if there is nothing. */
  next(): Buffer;
  /** So many bytes of `next` are written. */
  wrote(count: number): void;
  /** Gives up what is held. */
  lose(): void;
}

/**
 * At most `limitBytes` are held. After a loss, what is written next begins with a line that tells how many lines were
 * lost; a line that was cut stays cut, and what follows begins on a line of its own.
 */
export function createHeldLines(limitBytes: number): HeldLines {
  let lines: string[] = [];
  let linesBytes = 0;
  /** What is being written, its notice of lost lines first, and how far it is. */
  let chunk = NOTHING;
  let noticeBytes = 0;
  let writtenBytes = 0;
  let isLineCut = false;
  let lost = 0;
  /** As the notice in the chunk has it, until that is written. */
  let beingTold = 0;

  function gather(): void {
    const notice = (isLineCut ? '\n' : '') + (lost > 0 ? lostLine(lost) : '');
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
      // Without its end it is told as well: what is written next begins with one.
      if (writtenBytes < noticeBytes - 1) return;
      lost -= beingTold;
      beingTold = 0;
    },
    lose() {
      // A line that lacks nothing but its end is not lost.
      const wholeBytes = writtenBytes + (isLineCut && chunk[writtenBytes] === LINE_END ? 1 : 0);
      const unwritten = chunk.subarray(Math.max(wholeBytes, noticeBytes));
      lost += lines.length + unwritten.reduce((count, byte) => (byte === LINE_END ? count + 1 : count), 0);
      [lines, linesBytes] = [[], 0];
      [chunk, noticeBytes, writtenBytes, beingTold] = [NOTHING, 0, 0, 0];
    },
  };
}

function lostLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines were lost' })}\n`;
}
