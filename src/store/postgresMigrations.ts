import { UnusableDatabase } from './databaseErrors.ts';
import type { Database } from './postgres.ts';
import { POSTGRES_MIGRATIONS, SCHEMA } from './postgresSchema.ts';

/** Any number, the same for every instance: "x402". */
const LOCK = 0x78343032;

/**
 * Brings the tables up to date, once however many instances start together. Each step is the next version; a step that
 * was released never changes. Throws UnusableDatabase if a newer version of this service has written them, or if the
 * files of an installation are still being moved in.
 */
export async function migrate(db: Database, steps = POSTGRES_MIGRATIONS): Promise<void> {
  await migrateTables(db, steps);
  const [format] = await db.query(`SELECT is_moving_in FROM ${SCHEMA}.format`);
  if (format?.['is_moving_in'] === true)
    throw new UnusableDatabase(
      'has only a part of what is moved in from SQLite files: run the command migrate until it succeeds',
    );
}

/** Works like `migrate`, even while files are being moved in. */
export async function migrateTables(db: Database, steps = POSTGRES_MIGRATIONS): Promise<void> {
  await db.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionIn(query);
    if (version > steps.length)
      throw new UnusableDatabase(
        `was written by a newer version of this service (format ${version}, this one knows ${steps.length}): run that version`,
      );
    if (version === steps.length) return;
    for (const step of steps.slice(version)) await query(step);
    await query(`UPDATE ${SCHEMA}.format SET version = $1`, [steps.length]);
  });
}

async function versionIn(query: Database['query']): Promise<number> {
  const [known] = await query('SELECT to_regclass($1) IS NOT NULL AS exists', [`${SCHEMA}.format`]);
  if (known?.['exists'] !== true) {
    await query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await query(
      `CREATE TABLE ${SCHEMA}.format (version integer NOT NULL, is_moving_in boolean NOT NULL DEFAULT false)`,
    );
    await query(`INSERT INTO ${SCHEMA}.format (version) VALUES (0)`);
  }
  const [row] = await query(`SELECT version FROM ${SCHEMA}.format`);
  return Number(row?.['version']);
}
