/** The PostgreSQL server that the tests of a run share. Tests that stop it, or change its settings, open one of their own. */
import { databasesOn, type Databases } from './server.ts';

/** The variable that tells the processes of a run where the server is. */
export const SHARED_URL = 'TEST_POSTGRES_URL';

const url = process.env[SHARED_URL];

/** Throws on use if this machine has no PostgreSQL. */
export const postgres: Databases = databasesOn(url ?? 'none:');
