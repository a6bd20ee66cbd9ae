/** The database is down, slow, failing over or out of connections. Its statements may have been carried out or not. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Reports a database that cannot be used as it is. The message says why and what to do, without the URL. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase';
}

/** These continue the name of the setting, as the messages of {@link UnusableDatabase} do. */
export const MISSING_RIGHTS =
  'names a user without the rights that the service needs: GRANT CREATE ON DATABASE … TO …, or make it the owner';

export const TAKES_NO_WRITES = 'takes no writes, as a standby does: name the primary server';

export const isDatabaseUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;
