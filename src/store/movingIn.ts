/** Marks a database into which the files of an installation are moved, so that no service uses a part of them. */
import { UnusableDatabase } from './databaseErrors.ts';
import type { Database } from './postgres.ts';
import { migrateTables } from './postgresMigrations.ts';
import { SCHEMA } from './postgresSchema.ts';

/** The catalog as a whole, as it shall be once all is moved. */
export interface MovedCatalog {
  readonly position: number;
  readonly listings: number;
  readonly clock: number;
  /** The key that signs cursors. It also tells one catalog from another. */
  readonly cursorKey: Uint8Array;
}

const OTHER_DATA =
  'has what other files held, or a service has started on it. Nothing was changed: name an empty database';

/** True if a service has started on the database, or if it has what other files held. */
const HAS_OTHER_DATA = `
  SELECT EXISTS (SELECT FROM ${SCHEMA}.channel_account) OR (
    NOT EXISTS (SELECT FROM ${SCHEMA}.catalog WHERE cursor_key = $1)
    AND (EXISTS (SELECT FROM ${SCHEMA}.entry) OR EXISTS (SELECT FROM ${SCHEMA}.listing)
      OR EXISTS (SELECT FROM ${SCHEMA}.caller_key))
  ) AS has_other_data`;

const BEGIN_CATALOG = `UPDATE ${SCHEMA}.catalog SET position = $1, listings = $2, clock = $3, cursor_key = $4`;

/** New rows get the numbers that follow. */
const countOn = (table: string, key: string): string => `
  SELECT setval(pg_get_serial_sequence('${SCHEMA}.${table}', '${key}'), coalesce(max(${key}), 0) + 1, false)
  FROM ${SCHEMA}.${table}`;

/** Begins, or goes on after an attempt that did not end. Throws UnusableDatabase if the database holds other data. */
export async function beginMovingIn(db: Database, catalog: MovedCatalog): Promise<void> {
  const { position, listings, clock, cursorKey } = catalog;
  await migrateTables(db);
  await db.transaction(async (query) => {
    const [found] = await query(HAS_OTHER_DATA, [cursorKey]);
    if (found?.['has_other_data'] !== false) throw new UnusableDatabase(OTHER_DATA);
    await query(`UPDATE ${SCHEMA}.format SET is_moving_in = true`);
    await query(BEGIN_CATALOG, [position, listings, clock, cursorKey]);
  });
}

/** Lets services use the database. */
export async function endMovingIn(db: Database): Promise<void> {
  await db.transaction(async (query) => {
    await query(countOn('entry', 'id'));
    await query(countOn('event', 'seq'));
    await query(countOn('keyed_answer', 'id'));
    await query(countOn('keeper_act', 'id'));
    await query(`UPDATE ${SCHEMA}.format SET is_moving_in = false`);
  });
}
