import type { Database } from './postgres.ts';

/** Throws if the database does not answer, or takes no writes, as a standby does. */
export async function checkWritable({ query }: Pick<Database, 'query'>): Promise<void> {
  const [row] = await query(`SELECT current_setting('transaction_read_only') AS read_only`);
  if (row?.['read_only'] !== 'off') throw new Error('the database takes no writes');
}
