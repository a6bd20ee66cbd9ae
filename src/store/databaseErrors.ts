/** The database is down, slow, failing over or out of connections. Its statements may have been carried out or not. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Reports a database that cannot be used as it is. The message says why and what to do, without the URL. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

export const isDatabaseUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
