import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { TensorFile } from './tensors.ts';
import { UnusableModel } from './unusable.ts';

/** Opens a file of a model's folder for `use`. Refuses what is not a regular file, and one that is too large. */
export function withFile<T>(folder: string, name: string, maxBytes: number, use: (file: TensorFile) => T): T {
  const opened = open(folder, name);
  try {
    const stat = fstatSync(opened);
    if (!stat.isFile()) throw new UnusableModel(name, 'is not a regular file');
    if (stat.size > maxBytes) throw new UnusableModel(name, `has more than ${maxBytes} bytes`);
    return use({ name, size: stat.size, read: (begin, length) => readPart(opened, name, begin, length) });
  } finally {
    closeSync(opened);
  }
}

function open(folder: string, name: string): number {
  try {
    return openSync(join(folder, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    throw new UnusableModel(name, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function readPart(opened: number, name: string, begin: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0, count = 0; done < length; done += count) {
    count = readSync(opened, bytes, done, length - done, begin + done);
    if (count === 0) throw new UnusableModel(name, 'is cut off');
  }
  return bytes;
}

/** Returns a short name of a file's content. */
export function fingerprint(file: TensorFile, chunkBytes: number): string {
  const hash = createHash('sha256');
  for (let begin = 0; begin < file.size; begin += chunkBytes)
    hash.update(file.read(begin, Math.min(chunkBytes, file.size - begin)));
  return hash.digest('hex').slice(0, 16);
}
