import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { IN_MEMORY } from '../store/sqliteFile.ts';

export const DEFAULT_DB_PATH = './data/catalog.db';

/** Returns the path of the settlement journal, beside the catalog: `catalog.db` and `catalog.settlements.db`. */
export function journalPathOf(dbPath: string): string {
  if (dbPath === IN_MEMORY) return IN_MEMORY;
  const { dir, name, ext } = parse(dbPath);
  return join(dir, `${name}.settlements${ext}`);
}

/**
 * Makes the folder of the catalog's database and tries to write there, since only an attempt reveals read-only disks
 * and quotas. Returns what is wrong, without the path (it may hold anything), or undefined.
 */
export function databasePathProblem(path: string): string | undefined {
  if (path === IN_MEMORY) return undefined;
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing !== undefined && !existing.isFile()) return 'is not a file';
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a'));
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return `cannot be written (${code}): name a file in a folder that this user may write to, or ${IN_MEMORY}`;
  }
}
