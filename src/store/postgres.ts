/** Opens the PostgreSQL database that several instances share. */
import pg from 'pg';
import { DatabaseUnavailable } from './databaseErrors.ts';
import { createListener, type Listener } from './postgresListener.ts';

export interface DatabaseLimits {
  /** Connections for statements; one more listens. */
  maxConnections: number;
  /** A statement waits this long for a connection, and this long for its answer. */
  connectWithinMs: number;
  answerWithinMs: number;
  /** After the database failed, statements fail at once for this long. */
  restAfterFaultMs: number;
  /** Pause before the listening connection is made again. */
  relistenAfterMs: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  maxConnections: 8,
  connectWithinMs: 2_000,
  answerWithinMs: 3_000,
  restAfterFaultMs: 200,
  relistenAfterMs: 500,
};

export type Row = Record<string, unknown>;
export type Query = (statement: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /** Runs a statement, in one round trip. Throws DatabaseUnavailable if it is not answered in time. */
  readonly query: Query;
  /** Runs `work` in one transaction. If a statement of it fails, throws and writes nothing. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  readonly listener: Listener;
  close(): Promise<void>;
}

export interface DatabaseDeps {
  /** `postgres://…`; TLS as its parameters say. */
  url: string;
  log: { warn(fields: object, message: string): void };
  limits?: Partial<DatabaseLimits>;
}

/** Connects when the first statement is run. */
export function createDatabase({ url, log, limits: changes }: DatabaseDeps): Database {
  const limits = { ...DATABASE_LIMITS, ...changes };
  const settings = settingsOf(url, limits);
  const pool = new pg.Pool({ ...settings, max: limits.maxConnections });
  // An idle connection that breaks is replaced at the next statement.
  pool.on('error', ignore);
  // One that breaks between two statements of a transaction fails the next one. Without a listener it ends the process.
  pool.on('connect', (client) => client.on('error', ignore));
  const listener = createListener({ settings, log, relistenAfterMs: limits.relistenAfterMs });
  let restsUntilMs = -Infinity;

  async function answered<Answer>(asked: () => Promise<Answer>): Promise<Answer> {
    if (performance.now() < restsUntilMs) throw new DatabaseUnavailable('the database has just failed');
    try {
      return await asked();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      restsUntilMs = performance.now() + limits.restAfterFaultMs;
      throw new DatabaseUnavailable('the database does not answer', { cause: error });
    }
  }

  const queryOn =
    (client: pg.Pool | pg.ClientBase): Query =>
    async (statement, values = []) =>
      (await answered(() => client.query<Row>(statement, [...values]))).rows;

  return {
    listener,
    query: queryOn(pool),
    async transaction(work) {
      const client = await answered(() => pool.connect());
      const query = queryOn(client);
      let fault: Error | undefined;
      try {
        await query('BEGIN');
        const result = await work(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        fault = error as Error;
        throw error;
      } finally {
        // After a fault the connection is closed, and PostgreSQL rolls back.
        client.release(fault);
      }
    },
    async close() {
      await listener.close();
      await pool.end();
    },
  };
}

const ignore = (): void => {};

function settingsOf(url: string, limits: DatabaseLimits): pg.ClientConfig {
  return {
    connectionString: withLibpqMeanings(url),
    application_name: 'stellar-facilitator',
    connectionTimeoutMillis: limits.connectWithinMs,
    query_timeout: limits.answerWithinMs,
    keepAlive: true,
  };
}

/** Gives `sslmode` the meaning that it has for all other PostgreSQL programs. */
function withLibpqMeanings(text: string): string {
  const url = new URL(text);
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Classes of SQLSTATE: connection, login, resources, operator intervention, system; and a standby that only reads. */
const UNAVAILABLE = /^(08|28|53|57|58|25006)/;

function isUnavailable(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? UNAVAILABLE.test(error.code ?? '') : true;
}
