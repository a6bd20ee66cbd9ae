import { DatabaseSync } from 'node:sqlite';
import { createKeyStore, type KeyStore, type KeyTable } from './keyStore.ts';

export interface SqliteKeys extends KeyStore {
  close(): void;
}

export interface SqliteKeysOptions {
  /** A statement waits this long for other processes. */
  readonly busyTimeoutMs: number;
  readonly maxKeys?: number;
}

/** Opens the keys in the journal's file, which must be up to date, on a connection of their own. */
export function openSqliteKeys(path: string, { busyTimeoutMs, maxKeys }: SqliteKeysOptions): SqliteKeys {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  // A key that was shown must be stored, even after a power failure.
  db.exec('PRAGMA synchronous = FULL');
  const query = async (statement: string, values: readonly unknown[] = []) =>
    db
      .prepare(statement)
      .all(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as string])));
  async function transaction<Result>(work: (query: KeyTable['query']) => Promise<Result>): Promise<Result> {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = await work(query);
      db.exec('COMMIT');
      return result;
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  }
  const store = createKeyStore({ name: 'caller_key', query, transaction }, maxKeys);
  return { ...store, close: () => (db.isOpen ? db.close() : undefined) };
}
