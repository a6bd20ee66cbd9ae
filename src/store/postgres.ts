/** Opens the PostgreSQL database that several instances share. */
import pg from 'pg';
import { DatabaseUnavailable, MISSING_RIGHTS, UnusableDatabase } from './databaseErrors.ts';
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
  /** Pause between two questions whether the listening connection still works. */
  askListenerEveryMs: number;
}

export const DATABASE_LIMITS: DatabaseLimits = {
  maxConnections: 8,
  connectWithinMs: 2_000,
  answerWithinMs: 3_000,
  restAfterFaultMs: 200,
  relistenAfterMs: 500,
  askListenerEveryMs: 3_000,
};

export type Row = Record<string, unknown>;
export type Query = (statement: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface Database {
  /** Runs a statement, in one round trip. Throws DatabaseUnavailable if it is not answered in time. */
  readonly query: Query;
  /** Runs `work` in one transaction. If a statement of it fails, or takes longer than `withinMs`, throws and writes nothing. */
  transaction<Result>(work: (query: Query) => Promise<Result>, withinMs?: number): Promise<Result>;
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
  /** The pool waits for the promise, which its types do not say. */
  const onConnect = (client: pg.ClientBase): unknown => client.query(sessionSettings(limits.answerWithinMs));
  const pool = new pg.Pool({ ...settings, max: limits.maxConnections, onConnect });
  // An idle connection that breaks is replaced at the next statement.
  pool.on('error', ignore);
  // One that breaks between two statements of a transaction fails the next one. Without a listener it ends the process.
  pool.on('connect', (client) => client.on('error', ignore));
  const { relistenAfterMs, askListenerEveryMs: askEveryMs } = limits;
  const listener = createListener({ settings, log, relistenAfterMs, askEveryMs });
  let restsUntilMs = -Infinity;

  async function answered<Answer>(asked: () => Promise<Answer>): Promise<Answer> {
    if (performance.now() < restsUntilMs) throw new DatabaseUnavailable('the database has just failed');
    try {
      return await asked();
    } catch (error) {
      const unusable = unusableFor(error);
      if (unusable !== undefined) throw new UnusableDatabase(unusable, { cause: error });
      if (!isUnavailable(error)) throw error;
      restsUntilMs = performance.now() + limits.restAfterFaultMs;
      throw new DatabaseUnavailable('the database does not answer', { cause: error });
    }
  }

  const queryOn =
    (client: pg.Pool | pg.ClientBase, withinMs = limits.answerWithinMs): Query =>
    async (text, values = []) => {
      const asked = { text, values: [...values], query_timeout: withinMs };
      return (await answered(() => client.query<Row>(asked))).rows;
    };

  return {
    listener,
    query: queryOn(pool),
    async transaction(work, withinMs = limits.answerWithinMs) {
      const client = await answered(() => pool.connect());
      const query = queryOn(client, withinMs);
      let fault: Error | undefined;
      try {
        await query(`BEGIN; SET LOCAL statement_timeout = ${cancelledAfterMs(withinMs)}`);
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

/** PostgreSQL gives a statement up before this process does, so that none takes effect when nobody expects it any more. */
const cancelledAfterMs = (answerWithinMs: number): number => Math.round(0.8 * answerWithinMs);

/** Settings of the server, the database or the user must not change what a statement means. */
const sessionSettings = (answerWithinMs: number): string => `
  SET statement_timeout = ${cancelledAfterMs(answerWithinMs)};
  SET idle_in_transaction_session_timeout = ${answerWithinMs};
  SET lock_timeout = 0;
  SET default_transaction_isolation = 'read committed'`;

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

/** SQLSTATEs of what only an administrator of the database can change, and what to tell the operator. */
const UNUSABLE = new Map([
  ['3D000', 'names a database that does not exist: create it'],
  ['42501', MISSING_RIGHTS],
]);

const unusableFor = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? UNUSABLE.get(error.code ?? '') : undefined;

/** Classes of SQLSTATE: connection, login, resources, operator intervention, system; and a standby that only reads. */
const UNAVAILABLE = /^(08|28|53|57|58|25006)/;

function isUnavailable(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? UNAVAILABLE.test(error.code ?? '') : true;
}
