import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { containsSecretKey, secretKeyProblem } from './secretKeys.ts';

/** Leaves room for a thousand keys. */
const MAX_FILE_BYTES = 64 * 1024;

export interface SecretFiles<Name extends string> {
  /** The secrets in the files; commas separate several keys. */
  readonly secrets: Readonly<Partial<Record<Name, string>>>;
  /** The problems with the files, without any part of their content or of their paths. */
  readonly problems: readonly { readonly variable: `${Name}_FILE`; readonly text: string }[];
}

/** Reads each secret in `names` from the file that the variable `<name>_FILE` in `source` names. */
export function readSecretFiles<Name extends string>(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
): SecretFiles<Name> {
  const secrets: Partial<Record<Name, string>> = {};
  const problems: { variable: `${Name}_FILE`; text: string }[] = [];
  for (const name of names) {
    const path = source[`${name}_FILE`]?.trim();
    if (!path) continue;
    const read = source[name]?.trim()
      ? { problem: `is set beside ${name}: set one of the two` }
      : readSecret(path, name);
    if ('problem' in read) problems.push({ variable: `${name}_FILE`, text: read.problem });
    else secrets[name] = read.secret;
  }
  return { secrets, problems };
}

function readSecret(path: string, name: string): { secret: string } | { problem: string } {
  if (containsSecretKey(path))
    return { problem: 'holds a secret key: put that into a file, and name the file' };
  const text = textOf(path);
  if (typeof text !== 'string') return text;
  // Also accepts a file with a line SUBMITTER_SECRET=…, such as the accounts tool writes.
  const content = (parseEnv(text)[name] ?? text).trim();
  if (content === '') return { problem: 'names an empty file' };
  const entries = content.split(/\s*[,\r\n]\s*/);
  for (const [index, entry] of entries.entries()) {
    const problem = secretKeyProblem(entry);
    const where = entries.length === 1 ? 'text' : `entry ${index + 1}`;
    if (problem !== undefined) return { problem: `names a file whose ${where} ${problem}` };
  }
  return { secret: entries.join(',') };
}

/** Reads a file without ever waiting. Refuses a pipe, and everything else that is not a regular file. */
function textOf(path: string): string | { problem: string } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (!fstatSync(file).isFile()) return { problem: 'names something that is not a regular file' };
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null);
    if (length > MAX_FILE_BYTES) return { problem: `names a file of more than ${MAX_FILE_BYTES} bytes` };
    return bytes.toString('utf8', 0, length);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return { problem: `cannot be read (${code}): name a file that this user may read` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
