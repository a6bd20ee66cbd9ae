import type { Response } from './outgoing.ts';

/** The part of a body that was read. */
export interface Body {
  readonly bytes: Buffer;
  /** False if the body was cut: by the size limit, by a timeout, or by the target. */
  readonly isComplete: boolean;
}

/** Reads a body up to `maxBytes`, or only its first chunk if that is enough. Never throws. Never waits for the rest. */
export async function readBody(
  response: Response,
  maxBytes: number,
  isEnough: (start: Uint8Array) => boolean = () => false,
): Promise<Body> {
  // Copies each chunk: however small, a chunk keeps alive the whole block of memory that it was received in.
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
/** A body in more chunks than this is cut: nobody sends chunks that small. */
const MAX_CHUNKS = 100_000;

function grown(buffer: Buffer, minBytes: number, maxBytes: number): Buffer {
  const larger = Buffer.alloc(Math.min(maxBytes, Math.max(minBytes, buffer.length * 2)));
  buffer.copy(larger);
  return larger;
}
