import type { Database } from './postgres.ts';

/** Throws if the database does not answer, or takes no writes, as a standby does. */
export async function checkWritable(db: Pick<Database, 'query'>): Promise<void> {
  if (!(await takesWrites(db))) throw new Error('the database takes no writes');
}

export async function takesWrites({ query }: Pick<Database, 'query'>): Promise<boolean> {
  const [row] = await query(`SELECT current_setting('transaction_read_only') AS read_only`);
  return row?.['read_only'] === 'off';
}
