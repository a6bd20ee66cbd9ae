import pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { UnusableDatabase } from '../../src/store/databaseErrors.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { keepForNetwork, migrate } from '../../src/store/postgresMigrations.ts';
import { POSTGRES_MIGRATIONS, SCHEMA } from '../../src/store/postgresSchema.ts';
import { silent } from '../support/service.ts';
import { binaries } from './server.ts';
import { postgres } from './shared.ts';

if (binaries === undefined) console.log('skipped: tables in PostgreSQL, as this machine has none');

describe.skipIf(binaries === undefined)('the tables of a database', () => {
  let url: string;
  beforeEach(async () => void (url = await postgres.database()));

  function connect(): Database {
    const db = createDatabase({ url, log: silent });
    onTestFinished(() => db.close());
    return db;
  }
  const versionOf = async (db: Database): Promise<unknown> =>
    (await db.query(`SELECT version FROM ${SCHEMA}.format`))[0]?.['version'];

  test('are made once, however many instances start together', async () => {
    const instances = Array.from({ length: 6 }, connect);
    await Promise.all(instances.map((db) => migrate(db)));
    const [db] = instances as [Database];
    expect(await db.query(`SELECT version FROM ${SCHEMA}.format`)).toEqual([
      { version: POSTGRES_MIGRATIONS.length },
    ]);
    expect(await db.query(`SELECT position::int FROM ${SCHEMA}.catalog`)).toEqual([{ position: 0 }]);
  });

  test('are brought up to date by the steps that they lack', async () => {
    const db = connect();
    await migrate(db);
    const more = [...POSTGRES_MIGRATIONS, `CREATE TABLE ${SCHEMA}.later (id bigint)`];
    await Promise.all([migrate(db, more), migrate(connect(), more)]);
    expect(await db.query(`SELECT * FROM ${SCHEMA}.later`)).toEqual([]);
    expect(await versionOf(db)).toBe(more.length);
  });

  test('stay as they were when a step fails', async () => {
    const db = connect();
    await migrate(db);
    const wrong = [...POSTGRES_MIGRATIONS, `CREATE TABLE ${SCHEMA}.later (id bigint); SELECT 1 / 0`];
    await expect(migrate(db, wrong)).rejects.toThrow('division by zero');
    expect(await versionOf(db)).toBe(POSTGRES_MIGRATIONS.length);
    await expect(db.query(`SELECT * FROM ${SCHEMA}.later`)).rejects.toThrow('does not exist');
  });

  test('of a newer version are refused', async () => {
    const db = connect();
    await migrate(db, [...POSTGRES_MIGRATIONS, 'SELECT 1']);
    await expect(migrate(db)).rejects.toThrow(UnusableDatabase);
  });

  test('belong to the network of their first instance, and are refused to others', async () => {
    const db = connect();
    await migrate(db);
    await keepForNetwork(db, 'stellar:testnet');
    await keepForNetwork(db, 'stellar:testnet');
    await expect(keepForNetwork(db, 'stellar:pubnet')).rejects.toThrow('is used on stellar:testnet');
  });

  test('are refused in a database that cannot hold every text', async () => {
    await postgres.administer("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    url = new URL('latin', url).href;
    await expect(migrate(connect())).rejects.toThrow('ENCODING UTF8');
  });

  test('that are up to date let an instance start while another is paused in its start', async () => {
    const db = connect();
    await migrate(db);
    const paused = new pg.Client(url);
    await paused.connect();
    onTestFinished(() => paused.end());
    // The lock of a migration is the one that is held in this database by its number.
    await paused.query(`SELECT pg_advisory_lock(${0x78343032})`);
    await migrate(connect());
  });
});
