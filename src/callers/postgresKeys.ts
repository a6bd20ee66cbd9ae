import type { Database } from '../store/postgres.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { createKeyStore, type KeyStore } from './keyStore.ts';

const TABLE = `${SCHEMA}.caller_key`;

/** Instances hear on this channel that keys have changed. */
export const KEYS_CHANNEL = `${SCHEMA}_keys`;

/** Opens the keys that instances share. */
export function openPostgresKeys({ query, transaction }: Pick<Database, 'query' | 'transaction'>): KeyStore {
  return createKeyStore({
    name: TABLE,
    query,
    transaction: (work) =>
      transaction(async (query) => {
        await query(`LOCK TABLE ${TABLE} IN SHARE ROW EXCLUSIVE MODE`);
        const result = await work(query);
        await query(`SELECT pg_notify('${KEYS_CHANNEL}', '')`);
        return result;
      }),
  });
}
