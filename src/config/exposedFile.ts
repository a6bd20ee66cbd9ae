import { statfsSync, statSync } from 'node:fs';

const ACCESS_OF_OTHERS = 0o077;
const ROOT = 0;
/** The numbers of tmpfs and ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

/**
 * Returns what is wrong if other users can read a file whose mode is this user's choice, as OpenSSH does for its keys.
 * Containers get secrets that everybody can read, which are root's or in memory.
 */
export function exposureProblem(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  if (uid === ROOT || uid !== process.geteuid?.() || (mode & ACCESS_OF_OTHERS) === 0) return undefined;
  if (IN_MEMORY.includes(statfsSync(path).type)) return undefined;
  return 'names a file that other users can read: chmod 600';
}
