const NOTHING = Buffer.alloc(0);

/** Collects bytes in one piece of memory, since thousands of small pieces cost many times their content. */
export interface GrowingBuffer {
  readonly length: number;
  /** Adds bytes, and returns the size of the memory that holds them all: at most twice their number. */
  add(chunk: Buffer): number;
  /** Hands over the bytes, and keeps none. */
  take(): Buffer;
}

/** Expects at most `maxBytes` to be added. */
export function createGrowingBuffer(maxBytes: number): GrowingBuffer {
  let bytes: Buffer = NOTHING;
  let length = 0;

  function makeRoom(more: number): void {
    const needed = length + more;
    if (needed <= bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * length), maxBytes));
    bytes.copy(grown, 0, 0, length);
    bytes = grown;
  }

  return {
    get length() {
      return length;
    },
    add(chunk) {
      if (length === 0) bytes = chunk;
      else {
        makeRoom(chunk.length);
        bytes.set(chunk, length);
      }
      length += chunk.length;
      return bytes.length;
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = NOTHING;
      length = 0;
      return taken;
    },
  };
}
