import { COLUMNS, keyOf, valuesOf, type KeyRow, type StoredKey } from './storedKey.ts';

/**
 * Keeps the keys beside the journal, in either store. Of the revoked ones it keeps the newest: services that run must see
 * that a key was revoked, and numbers of changes must not come twice.
 */
export interface KeyStore {
  /** Returns the keys that were made or revoked after this change, in the order of their changes. */
  changedAfter(change: number): Promise<KeyRow[]>;
  /** Stores a new key. Returns false if there are too many. */
  add(key: StoredKey): Promise<boolean>;
  /** Revokes the key with this id. Returns it, or undefined if none is in use. */
  revoke(id: string, nowMs: number): Promise<StoredKey | undefined>;
  /** Revokes a key like `revoke`, and stores a new one with its name and its limits. */
  replace(id: string, key: NewKeyFacts): Promise<StoredKey | undefined>;
}

export type NewKeyFacts = Pick<StoredKey, 'id' | 'secretHash' | 'createdAtMs'>;

type Query = (statement: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** The table of the keys in either store. The statements mean the same in both. */
export interface KeyTable {
  readonly name: string;
  readonly query: Query;
  /** Runs `work` in a transaction. Other writers of the table wait, so that changes have an order. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
}

/** Limits the keys in use, and the revoked ones that are kept. */
export const MAX_KEYS = 10_000;

export function createKeyStore(table: KeyTable, maxKeys = MAX_KEYS): KeyStore {
  const next = `(SELECT coalesce(max(change), 0) + 1 FROM ${table.name})`;
  const insert = `
    INSERT INTO ${table.name} (${COLUMNS.join(', ')}, change)
    VALUES (${COLUMNS.map((_column, index) => `$${index + 1}`).join(', ')}, ${next})`;
  const markRevoked = `
    UPDATE ${table.name} SET revoked_at_ms = $2, change = ${next}
    WHERE id = $1 AND revoked_at_ms IS NULL RETURNING *`;
  const countInUse = `SELECT count(*) AS n FROM ${table.name} WHERE revoked_at_ms IS NULL`;
  const forgetOldest = `
    DELETE FROM ${table.name} WHERE revoked_at_ms IS NOT NULL AND change <= (
      SELECT change FROM ${table.name} WHERE revoked_at_ms IS NOT NULL
      ORDER BY change DESC LIMIT 1 OFFSET ${maxKeys})`;

  async function add(query: Query, key: StoredKey): Promise<boolean> {
    const [{ n } = {}] = await query(countInUse);
    if (Number(n) >= maxKeys) return false;
    await query(insert, valuesOf(key));
    return true;
  }

  async function revoke(query: Query, id: string, nowMs: number): Promise<StoredKey | undefined> {
    const [row] = await query(markRevoked, [id, nowMs]);
    await query(forgetOldest);
    return row && keyOf(row);
  }

  return {
    async changedAfter(change) {
      const rows = await table.query(`SELECT * FROM ${table.name} WHERE change > $1 ORDER BY change`, [
        change,
      ]);
      return rows.map(keyOf);
    },
    add: (key) => table.transaction((query) => add(query, key)),
    revoke: (id, nowMs) => table.transaction((query) => revoke(query, id, nowMs)),
    replace: (id, facts) =>
      table.transaction(async (query) => {
        const revoked = await revoke(query, id, facts.createdAtMs);
        // There is room: that of the key that was just revoked.
        if (revoked !== undefined) await add(query, { ...revoked, ...facts });
        return revoked;
      }),
  };
}
