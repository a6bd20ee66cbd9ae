import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * A path with a root, one with an extension, or a short name. Any other text may be the secret itself in place of its
 * file's path, such as a URL with a password or a token in base64, and is not shown.
 */
const LOOKS_LIKE_PATH = /^(?!whsec_)([./~][\w ./-]*|[\w ./-]*\.\w{1,8}|[\w-]{1,20})$/;

/**
 * Reads a file without ever waiting. Refuses a pipe, everything else that is not a regular file, and a file that is too
 * large. The text of a problem may name the path, and never repeats the content.
 */
export function readRegularFile(path: string, maxBytes: number): string | { problem: string } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!fstatSync(file).isFile()) return { problem: 'names something that is not a regular file' };
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null);
    if (length > maxBytes) return { problem: `names a file of more than ${maxBytes} bytes` };
    return bytes.toString('utf8', 0, length);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const named = LOOKS_LIKE_PATH.test(path) ? `${path}, which` : 'something that';
    return { problem: `names ${named} cannot be read (${code}): name a file that this user may read` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
