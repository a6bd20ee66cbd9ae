import type { Response } from './fetch.ts';

/** What came of a body. */
export interface Body {
  readonly bytes: Buffer;
  /** False where it was cut: by the bound on its size, by the time, or by the target. */
  readonly isComplete: boolean;
}

/** Reads a body up to `maxBytes`, or to its first chunk where that is enough; never throws. The rest is not awaited. */
export async function readBody(
  response: Response,
  maxBytes: number,
  isEnough: (start: Uint8Array) => boolean = () => false,
): Promise<Body> {
  // Copied, since each chunk, however small, holds the whole block of memory that it was received in.
  let buffer: Buffer = Buffer.alloc(Math.min(maxBytes, FIRST_BYTES));
  let size = 0;
  let chunks = 0;
  const body = (isComplete: boolean): Body => ({ bytes: buffer.subarray(0, size), isComplete });
  try {
    for await (const chunk of response.body ?? []) {
      const bytes = chunk as Uint8Array;
      const taken = bytes.subarray(0, maxBytes - size);
      if (size + taken.length > buffer.length) buffer = grown(buffer, size + taken.length, maxBytes);
      buffer.set(taken, size);
      size += taken.length;
      chunks += 1;
      if (taken.length < bytes.length || chunks === MAX_CHUNKS || (chunks === 1 && isEnough(bytes)))
        return body(false);
    }
    return body(true);
  } catch {
    return body(false);
  }
}

const FIRST_BYTES = 64 * 1024;
/** A body that comes in smaller pieces than anybody sends is cut. */
const MAX_CHUNKS = 100_000;

function grown(buffer: Buffer, minBytes: number, maxBytes: number): Buffer {
  const larger = Buffer.alloc(Math.min(maxBytes, Math.max(minBytes, buffer.length * 2)));
  buffer.copy(larger);
  return larger;
}
