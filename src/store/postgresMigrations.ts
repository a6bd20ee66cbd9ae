import { MISSING_RIGHTS, TAKES_NO_WRITES, UnusableDatabase } from './databaseErrors.ts';
import type { Database } from './postgres.ts';
import { takesWrites } from './postgresWritable.ts';
import { POSTGRES_MIGRATIONS, SCHEMA } from './postgresSchema.ts';

/** For a step that changes many rows, or an instance that waits for another's. */
const STEPS_WITHIN_MS = 600_000;

/** Any number, the same for every instance: "x402". */
const LOCK = 0x78343032;

/**
 * Brings the tables up to date, once however many instances start together. Each step is the next version; a step that
 * was released never changes. Throws UnusableDatabase if a newer version of this service has written them, or if the
 * files of an installation are still being moved in.
 */
export async function migrate(db: Database, steps = POSTGRES_MIGRATIONS): Promise<void> {
  await migrateTables(db, steps);
  await checkIsWhole(db);
}

/**
 * Makes sure that the tables can be read, and changes nothing. Throws UnusableDatabase if no service, or one of another
 * version, has written them.
 */
export async function checkIsCurrent(
  db: Pick<Database, 'query'>,
  steps = POSTGRES_MIGRATIONS,
): Promise<void> {
  const version = await versionIn(db.query);
  if (version === undefined)
    throw new UnusableDatabase('holds nothing of this service: start the service on it once');
  if (version > steps.length) throw newerVersion(version, steps);
  if (version < steps.length)
    throw new UnusableDatabase(
      'was written by an older version of this service: start this version on it once',
    );
  await checkIsWhole(db);
}

/**
 * Makes sure that a start on `network` could use the database, and changes nothing. Throws UnusableDatabase if not.
 */
export async function checkCanStart(
  { query }: Pick<Database, 'query'>,
  network: string,
  steps = POSTGRES_MIGRATIONS,
): Promise<void> {
  if (!(await takesWrites({ query }))) throw new UnusableDatabase(TAKES_NO_WRITES);
  const version = await versionIn(query);
  if (version === undefined) {
    await checkEncoding(query);
    const [rights] = await query(`SELECT has_database_privilege(current_database(), 'CREATE') AS may_create`);
    if (rights?.['may_create'] !== true) throw new UnusableDatabase(MISSING_RIGHTS);
    return;
  }
  if (version > steps.length) throw newerVersion(version, steps);
  await checkIsWhole({ query });
  const known = await networkIn(query);
  if (known !== null) checkNetwork(known, network);
}

async function checkIsWhole({ query }: Pick<Database, 'query'>): Promise<void> {
  const [format] = await query(`SELECT is_moving_in FROM ${SCHEMA}.format`);
  if (format?.['is_moving_in'] === true)
    throw new UnusableDatabase(
      'has only a part of what is moved in from SQLite files: run the command migrate until it succeeds',
    );
}

function newerVersion(version: number, steps: readonly string[]): UnusableDatabase {
  return new UnusableDatabase(
    `was written by a newer version of this service (format ${version}, this one knows ${steps.length}): run that version`,
  );
}

/** Keeps the database for one network. Throws UnusableDatabase if it is another one's. */
export async function keepForNetwork({ query }: Pick<Database, 'query'>, network: string): Promise<void> {
  await query(`UPDATE ${SCHEMA}.format SET network = $1 WHERE network IS NULL`, [network]);
  checkNetwork(await networkIn(query), network);
}

/** Returns null if no service has used the database on a network yet. */
async function networkIn(query: Database['query']): Promise<string | null> {
  const [format] = await query(`SELECT network FROM ${SCHEMA}.format`);
  return format?.['network'] as string | null;
}

function checkNetwork(known: string | null, network: string): void {
  if (known !== network)
    throw new UnusableDatabase(`is used on ${known}: set NETWORK, or name another database for ${network}`);
}

/** Works like `migrate`, even while files are being moved in. */
export async function migrateTables(db: Database, steps = POSTGRES_MIGRATIONS): Promise<void> {
  // Most starts find the tables as they should be, and wait for no other.
  if ((await versionIn(db.query)) === steps.length) return;
  await db.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const version = await versionIn(query);
    if (version === undefined) await createFormat(query);
    if (version !== undefined && version > steps.length) throw newerVersion(version, steps);
    if (version === steps.length) return;
    for (const step of steps.slice(version)) await query(step);
    await query(`UPDATE ${SCHEMA}.format SET version = $1`, [steps.length]);
  }, STEPS_WITHIN_MS);
}

/** Returns undefined if the database holds nothing of this service. */
async function versionIn(query: Database['query']): Promise<number | undefined> {
  // `to_regclass` may answer as it did before another instance made the table.
  const tables = await query(`SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'format'`, [
    SCHEMA,
  ]);
  if (tables.length === 0) return undefined;
  const [row] = await query(`SELECT version FROM ${SCHEMA}.format`);
  return Number(row?.['version']);
}

async function createFormat(query: Database['query']): Promise<void> {
  await checkEncoding(query);
  await query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await query(
    `CREATE TABLE ${SCHEMA}.format (version integer NOT NULL, network text, is_moving_in boolean NOT NULL DEFAULT false)`,
  );
  await query(`INSERT INTO ${SCHEMA}.format (version) VALUES (0)`);
}

async function checkEncoding(query: Database['query']): Promise<void> {
  const [server] = await query('SHOW server_encoding');
  if (server?.['server_encoding'] !== 'UTF8')
    throw new UnusableDatabase('cannot hold every text: create it with ENCODING UTF8');
}
