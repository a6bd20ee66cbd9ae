import type { KeyLimits } from './limits.ts';

/** A key as it is stored: without its secret. */
export interface StoredKey {
  readonly id: string;
  /** Says to the operator whose key it is. */
  readonly name: string;
  readonly secretHash: Uint8Array;
  /** Undefined limits are those of the service. */
  readonly limits: KeyLimits;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** A stored key, and the position of its latest change among the changes of all keys. */
export interface KeyRow extends StoredKey {
  readonly change: number;
}

/** The columns of a key that never change, as both stores have them. */
export const COLUMNS = [
  'id',
  'name',
  'secret_hash',
  'verifies_per_minute',
  'settles_per_minute',
  'settlements_in_flight',
  'connections',
  'fee_budget_stroops',
  'created_at_ms',
] as const;

type Value = string | number | Uint8Array | null;

/** Returns the values of the columns. */
export function valuesOf({ id, name, secretHash, limits, createdAtMs }: StoredKey): Value[] {
  const { verifiesPerMinute, settlesPerMinute, settlementsInFlight, connections, feeBudgetStroops } = limits;
  const optional = [verifiesPerMinute, settlesPerMinute, settlementsInFlight, connections, feeBudgetStroops];
  return [id, name, secretHash, ...optional.map((limit) => limit ?? null), createdAtMs];
}

/** Reads a row of either store. PostgreSQL returns large integers as text. */
export function keyOf(row: Record<string, unknown>): KeyRow {
  const numberAt = (column: string): number | undefined =>
    row[column] === null ? undefined : Number(row[column]);
  return {
    id: String(row['id']),
    change: Number(row['change']),
    name: String(row['name']),
    secretHash: row['secret_hash'] as Uint8Array,
    limits: {
      verifiesPerMinute: numberAt('verifies_per_minute'),
      settlesPerMinute: numberAt('settles_per_minute'),
      settlementsInFlight: numberAt('settlements_in_flight'),
      connections: numberAt('connections'),
      feeBudgetStroops: numberAt('fee_budget_stroops'),
    },
    createdAtMs: Number(row['created_at_ms']),
    revokedAtMs: numberAt('revoked_at_ms'),
  };
}
