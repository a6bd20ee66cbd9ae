import type { Config, Secrets } from '../../config/config.ts';
import { storeProblem } from '../../config/storeProblem.ts';
import { SILENT_LOG } from '../../log/log.ts';
import { checkCanStart } from '../../store/postgresMigrations.ts';
import { fail, ok, type Finding } from './finding.ts';

const CHECK = 'database';

/** Checks the database that instances share as a start would, and changes nothing. Finds nothing without one. */
export async function checkDatabase(
  { network, dbPath }: Config,
  { databaseUrl }: Secrets,
): Promise<Finding[]> {
  if (databaseUrl === undefined) return [];
  const { createDatabase } = await import('../../store/postgres.ts');
  const db = createDatabase({ url: databaseUrl, log: SILENT_LOG });
  try {
    await checkCanStart(db, network);
    return [ok(CHECK, 'DATABASE_URL answers, and the service can use it')];
  } catch (error) {
    const problem = storeProblem(error, dbPath);
    if (problem === undefined) throw error;
    return [fail(CHECK, problem.text)];
  } finally {
    await db.close();
  }
}
