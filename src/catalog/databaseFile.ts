/** SQLite's name for a database that lives in memory only. */
export const IN_MEMORY = ':memory:';

/** A database that cannot be used as it is. The message says why and what to do, without the path. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}
