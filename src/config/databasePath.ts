import { closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { IN_MEMORY } from '../store/sqliteFile.ts';

export const DEFAULT_DB_PATH = './data/catalog.db';

/** Returns the path of the settlement journal, beside the catalog: `catalog.db` and `catalog.settlements.db`. */
export function journalPathOf(dbPath: string): string {
  if (dbPath === IN_MEMORY) return IN_MEMORY;
  const { dir, name, ext } = parse(dbPath);
  return join(dir, `${name}.settlements${ext}`);
}

/** Folders of the kernel. Nothing is kept there, and making a folder in /proc never ends. */
const OF_KERNEL = /^\/(proc|sys|dev(?!\/shm\/))\//;

/**
 * Makes the folder of the catalog's database and tries to write there, since only an attempt reveals read-only disks
 * and quotas. Returns what is wrong, without the path (it may hold anything), or undefined.
 */
export function databasePathProblem(path: string): string | undefined {
  if (path === IN_MEMORY) return undefined;
  try {
    if (OF_KERNEL.test(realPathOf(resolve(path))))
      return `is in a folder of the kernel, which keeps no files: name a file elsewhere, or ${IN_MEMORY}`;
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

/** Returns an absolute path without links, as far as it exists. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return join(realPathOf(dirname(path)), basename(path));
  }
}
