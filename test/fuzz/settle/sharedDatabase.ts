/** One PostgreSQL for several instances, at the time of the model. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { END, KNOW, OPEN, WITHDRAW } from '../../../src/journal/postgres/statements.ts';
import { DatabaseUnavailable } from '../../../src/store/databaseErrors.ts';
import type { Database, Row } from '../../../src/store/postgres.ts';
import { migrate } from '../../../src/store/postgresMigrations.ts';
import { readSharedJournal, type JournalRow } from '../../world/journal.ts';
import type { VirtualTime } from './virtualTime.ts';

/**
 * What goes wrong with a statement: it takes no effect, or its answer is lost, or it takes effect slowly, or it is given
 * up and takes effect later.
 */
export type StatementFault = 'refused' | 'answer lost' | 'slow' | 'late';

/** The way of one process to the database. */
export interface Way {
  readonly db: Database;
  /** Strikes the next statements. */
  fail(fault: StatementFault, times: number): void;
  heal(): void;
  /** The process is dead: nothing comes or goes any more. */
  cut(): void;
}

export interface SharedDatabase {
  /** Empties it, and follows this time from now on. */
  reset(time: VirtualTime, accounts: readonly string[]): Promise<void>;
  connect(owner: object): Way;
  /** While it is down, every statement is refused, and nobody hears notices. */
  down(): void;
  up(): void;
  /** The hashes of the entries that are open. */
  readonly open: ReadonlyMap<string, unknown>;
  journal(): Promise<JournalRow[]>;
  /** The authorizations that are held. */
  inFlight(): Promise<string[]>;
  close(): Promise<void>;
}

const LATENCY_MS = 2;
/** Just in time for those who wait for it. */
const SLOW_MS = 2_500;
const LATE_MS = 9_000;
const LOST = new Promise<never>(() => {});
const CHANNELS = ['facilitator_accounts', 'facilitator_settled'];

/** The clock of the statements is that of the model. Its name hides PostgreSQL's own. */
const CLOCK = `
  CREATE SCHEMA model;
  CREATE FUNCTION model.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
    $$ SELECT to_timestamp(current_setting('model.now_ms')::float8 / 1000) $$`;
const SESSION = `SET search_path = model, pg_catalog; ${CHANNELS.map((name) => `LISTEN ${name}`).join('; ')}`;
const EMPTY =
  'TRUNCATE facilitator.entry, facilitator.fee_total, facilitator.in_flight, facilitator.channel_account RESTART IDENTITY';

/** All statements go through one connection, one after the other: so a schedule always runs alike. */
export async function openSharedDatabase(url: string): Promise<SharedDatabase> {
  const client = new pg.Client(url);
  await client.connect();
  const rowsOf = async (statement: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(statement, [...values])).rows;
  await migrate({ query: rowsOf, transaction: (work) => work(rowsOf) } as Database);
  await client.query(CLOCK);
  await client.query(SESSION);

  /** What opened each. */
  const open = new Map<string, unknown>();
  const hearers = new Map<object, Map<string, (payload: string | undefined) => void>>();
  let time: VirtualTime;
  let isDown = false;
  let tail: Promise<unknown> = Promise.resolve();
  let running = 0;

  function run(statement: string, values: readonly unknown[]): Promise<Row[]> {
    const ran = tail.then(async () => {
      await client.query(`SET model.now_ms = ${time.now()}`);
      const rows = await rowsOf(statement, values);
      note(statement, values, rows);
      return rows;
    });
    running += 1;
    tail = ran.then(
      () => (running -= 1),
      () => (running -= 1),
    );
    return ran;
  }

  /** As a server does that hangs: whoever asked is gone. */
  function runLater(statement: string, values: readonly unknown[]): void {
    const unlessDown = (): void => void (isDown || run(statement, values).catch(() => {}));
    time.as(open, () => void setTimeout(unlessDown, LATE_MS));
  }

  function note(statement: string, values: readonly unknown[], [row]: readonly Row[]): void {
    if (statement === OPEN && row?.['opened'] === 'open') open.set(String(values[1]), values[2]);
    const [hash, opening] = [String(values[0]), values[1]];
    const isOfOpening = opening === undefined || open.get(hash) === opening;
    if ((statement === END || statement === WITHDRAW) && isOfOpening) open.delete(hash);
  }

  const tell = (owner: object, channel: string, payload: string | undefined): void =>
    time.as(owner, () => void setTimeout(() => hearers.get(owner)?.get(channel)?.(payload), LATENCY_MS));
  client.on('notification', ({ channel, payload }) => {
    if (!isDown) for (const owner of hearers.keys()) tell(owner, channel, payload);
  });

  function connect(owner: object): Way {
    const heard = new Map<string, (payload: string | undefined) => void>();
    hearers.set(owner, heard);
    let isCut = false;
    let faults: StatementFault[] = [];
    const unlessCut = <T>(work: Promise<T>): Promise<T> =>
      work.then(
        (value) => (isCut ? LOST : value),
        (error: unknown) => (isCut ? LOST : Promise.reject(error as Error)),
      );

    async function query(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
      await unlessCut(sleep(LATENCY_MS));
      const fault = isDown ? 'refused' : faults.shift();
      if (fault === 'late') runLater(statement, values);
      if (fault === 'slow') await unlessCut(sleep(SLOW_MS));
      const takesEffect = fault !== 'refused' && fault !== 'late';
      const rows = takesEffect ? await unlessCut(run(statement, values)) : [];
      await unlessCut(sleep(LATENCY_MS));
      if (fault !== undefined && fault !== 'slow') throw new DatabaseUnavailable(fault);
      return rows;
    }

    return {
      db: {
        query,
        transaction: (work) => work(query),
        listener: { on: (channel, hear) => void heard.set(channel, hear), close: async () => {} },
        close: async () => {},
      },
      fail: (fault, times) => void (faults = Array.from({ length: times }, () => fault)),
      heal: () => void (faults = []),
      cut() {
        isCut = true;
        hearers.delete(owner);
      },
    };
  }

  return {
    open,
    connect,
    async reset(now, accounts) {
      time = now;
      isDown = false;
      open.clear();
      hearers.clear();
      await client.query(EMPTY);
      await rowsOf(KNOW, [accounts]);
      time.awaits(() => (running > 0 ? tail : undefined));
    },
    down: () => void (isDown = true),
    up() {
      if (!isDown) return;
      isDown = false;
      for (const owner of hearers.keys()) for (const channel of CHANNELS) tell(owner, channel, undefined);
    },
    journal: () => readSharedJournal(client),
    inFlight: async () =>
      (await rowsOf('SELECT "authorization" FROM facilitator.in_flight')).map((row) =>
        String(row['authorization']),
      ),
    close: () => client.end(),
  };
}
