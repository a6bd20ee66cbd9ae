import { parseEnv } from 'node:util';
import { exposureProblem } from './exposedFile.ts';
import { readRegularFile } from './regularFile.ts';
import { containsSecretKey, secretKeyProblem } from './secretKeys.ts';

/** Leaves room for a thousand keys. */
const MAX_FILE_BYTES = 64 * 1024;

export interface SecretFiles<Name extends string> {
  /** The secrets in the files; commas separate several keys. */
  readonly secrets: Readonly<Partial<Record<Name, string>>>;
  /** The problems with the files, without any part of their content. */
  readonly problems: readonly { readonly variable: `${Name}_FILE`; readonly text: string }[];
}

/**
 * Reads each secret in `names` from the file that the variable `<name>_FILE` in `source` names. `problemOf` returns what
 * is wrong with one entry of a file; unless given, entries are Stellar secret keys.
 */
export function readSecretFiles<Name extends string>(
  source: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
  problemOf: (entry: string) => string | undefined = secretKeyProblem,
): SecretFiles<Name> {
  const secrets: Partial<Record<Name, string>> = {};
  const problems: { variable: `${Name}_FILE`; text: string }[] = [];
  for (const name of names) {
    const path = source[`${name}_FILE`]?.trim();
    if (!path) continue;
    const read = source[name]?.trim()
      ? { problem: `is set beside ${name}: set one of the two` }
      : readSecret(path, name, problemOf);
    if ('problem' in read) problems.push({ variable: `${name}_FILE`, text: read.problem });
    else secrets[name] = read.secret;
  }
  return { secrets, problems };
}

function readSecret(
  path: string,
  name: string,
  problemOf: (entry: string) => string | undefined,
): { secret: string } | { problem: string } {
  if (containsSecretKey(path))
    return { problem: 'holds a secret key: put that into a file, and name the file' };
  const text = readRegularFile(path, MAX_FILE_BYTES);
  if (typeof text !== 'string') return text;
  const exposed = exposureProblem(path);
  if (exposed !== undefined) return { problem: exposed };
  // Also accepts a file with a line SUBMITTER_SECRET=…, such as the accounts tool writes.
  const content = (parseEnv(text)[name] ?? text).trim();
  if (content === '') return { problem: 'names an empty file' };
  const entries = content.split(/\s*[,\r\n]\s*/);
  for (const [index, entry] of entries.entries()) {
    const problem = problemOf(entry);
    const where = entries.length === 1 ? 'text' : `entry ${index + 1}`;
    if (problem !== undefined) return { problem: `names a file whose ${where} ${problem}` };
  }
  return { secret: entries.join(',') };
}
