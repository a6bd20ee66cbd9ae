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
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      const bytes = chunk as Uint8Array;
      chunks.push(bytes.subarray(0, maxBytes - size));
      size += bytes.length;
      if (size > maxBytes || (chunks.length === 1 && isEnough(bytes)))
        return { bytes: Buffer.concat(chunks), isComplete: false };
    }
    return { bytes: Buffer.concat(chunks), isComplete: true };
  } catch {
    return { bytes: Buffer.concat(chunks), isComplete: false };
  }
}
