import { DEFAULT_DB_PATH } from '../config/databasePath.ts';
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CONFIG } from '../process/exitCodes.ts';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import type { ProcessEnvironment } from './command.ts';
import { Failure } from './failure.ts';
import { requireFile } from './requireFile.ts';

/** Returns the path of the catalog's file, which must exist. Throws a Failure otherwise. */
export function existingFile(environment: ProcessEnvironment): string {
  const { DB_PATH: source = DEFAULT_DB_PATH } = readEnvironment(environment);
  if (source === IN_MEMORY)
    throw new Failure(
      EXIT_CONFIG,
      `DB_PATH is ${IN_MEMORY}, so there is no file to copy, and nothing outlives the service`,
    );
  requireFile(source, 'DB_PATH names no file: set it as for the service, and start the service once');
  return source;
}
