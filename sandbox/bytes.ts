/**
 * Packs and reads XDR as bytes, for values that are passed on unread: the SDK may not know what a contract made.
 */

/** Packs numbers as 32 bits, bigints as 64 bits, and bytes as they are. */
export function pack(...parts: (number | bigint | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map(encoded));
}

function encoded(part: number | bigint | Uint8Array): Uint8Array {
  if (typeof part === 'object') return part;
  const bytes = Buffer.alloc(typeof part === 'number' ? 4 : 8);
  if (typeof part === 'number') bytes.writeUInt32BE(part);
  else bytes.writeBigInt64BE(part);
  return bytes;
}

export function packList(items: readonly Uint8Array[]): Buffer {
  return pack(items.length, ...items);
}

export function packOptional(item: Uint8Array | undefined): Buffer {
  return item ? pack(1, item) : pack(0);
}

/** Reads one value after the other. */
export interface Reader {
  number(): number;
  bigint(): bigint;
  /** Reads bytes that are preceded by their length. */
  bytes(): Buffer;
  /** Returns undefined if there are none. */
  optional(): Buffer | undefined;
  /** Reads a list that is preceded by its length. */
  list<T>(read: () => T): T[];
}

export function createReader(source: Buffer): Reader {
  let at = 0;
  const skip = (count: number) => (at += count) - count;
  const reader: Reader = {
    number: () => source.readUInt32BE(skip(4)),
    bigint: () => source.readBigInt64BE(skip(8)),
    bytes() {
      const length = reader.number();
      const start = skip(length);
      return source.subarray(start, start + length);
    },
    optional() {
      const bytes = reader.bytes();
      return bytes.length > 0 ? bytes : undefined;
    },
    list: (read) => Array.from({ length: reader.number() }, read),
  };
  return reader;
}
