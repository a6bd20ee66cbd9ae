import { statSync } from 'node:fs';
import { EXIT_CONFIG } from '../process/exitCodes.ts';
import { Failure } from './failure.ts';

/** Throws a Failure with `absent` if there is no file of DB_PATH at `path`, or with what keeps this user from it. */
export function requireFile(path: string, absent: string): void {
  let found;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Failure(
      EXIT_CONFIG,
      `DB_PATH cannot be read (${code}): run this as a user who may, such as that of the service`,
    );
  }
  if (found === undefined) throw new Failure(EXIT_CONFIG, absent);
}
