import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { parseEnv } from 'node:util';
import { submitterProblems } from '../../config/accountKeys.ts';
import { EXIT_CONFIG, EXIT_FAILED } from '../../process/exitCodes.ts';
import { Failure } from '../failure.ts';

const OWNER_ONLY = 0o600;
/** Leaves room for a thousand keys and anything else in such a file. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Writes the line `SUBMITTER_SECRET=…` into a new file that only its owner may read, and returns once it is on the
 * disk. Never touches a file that exists.
 */
export function writeKeyFile(path: string, secrets: readonly string[]): void {
  try {
    const file = openSync(path, 'wx', OWNER_ONLY);
    try {
      fchmodSync(file, OWNER_ONLY);
      writeFileSync(file, `SUBMITTER_SECRET=${secrets.join(',')}\n`);
      fsyncSync(file);
    } catch (error) {
      // A partial file would only be in the way: none of its accounts has been funded.
      rmSync(path);
      throw error;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Failure(
      EXIT_FAILED,
      code === 'EEXIST'
        ? `${path} exists and is never overwritten, since it may hold the only copy of its keys: name another file with ` +
            `--out, or continue with its accounts with --resume ${path}`
        : `${path} cannot be written (${code}): name another file with --out`,
    );
  }
}

/** Reads the two secrets of a file that {@link writeKeyFile} wrote, or that the service is started with. */
export function readKeyFile(path: string): { submitterSecrets: string[]; feeBumpSecret: string | undefined } {
  const { SUBMITTER_SECRET = '', FEE_BUMP_SECRET } = parseEnv(textOf(path));
  const submitterSecrets = SUBMITTER_SECRET.split(',').map((secret) => secret.trim());
  const [problem] = SUBMITTER_SECRET.trim() === '' ? ['is missing'] : submitterProblems(submitterSecrets);
  if (problem !== undefined) throw new Failure(EXIT_CONFIG, `${path}: SUBMITTER_SECRET ${problem}`);
  return { submitterSecrets, feeBumpSecret: FEE_BUMP_SECRET?.trim() || undefined };
}

function textOf(path: string): string {
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Failure(
      EXIT_CONFIG,
      code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`,
    );
  }
  throw new Failure(EXIT_CONFIG, `${path} is too large for a file with keys`);
}
