import type { DatabaseSync } from 'node:sqlite';
import {
  bytesText,
  insertInto,
  rowsOf,
  type MovedFile,
  type MovedRow,
  type MovedTable,
} from '../store/moving.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { openJournalAlone } from './file.ts';

/** Stands for the opening of each entry. No process has opened one by this. */
const NO_OPENING = '00000000-0000-0000-0000-000000000000';

const WRITE_ENTRIES = `
  WITH written AS (${insertInto('entry')} RETURNING "authorization", submitter, status)
  INSERT INTO ${SCHEMA}.in_flight SELECT "authorization", submitter FROM written WHERE status IS NULL
  ON CONFLICT DO NOTHING`;

/** There are few of them: an attempt that goes on writes all of them again. */
const WRITE_TOTALS = `${insertInto('fee_total')}
  ON CONFLICT (name) DO UPDATE SET stroops = excluded.stroops`;

/** Opens the journal's file to move it into PostgreSQL. Throws UnusableFile. */
export function openMovedJournal(path: string): MovedFile {
  const db = openJournalAlone(path);
  return { tables: tablesOf(db), close: () => db.close() };
}

/** Returns the entries, the authorizations that open ones have in flight, the fees of budgets, callers' keys, events, and answers. */
function tablesOf(db: DatabaseSync): MovedTable[] {
  const count = db.prepare('SELECT count(*) AS n FROM entry');
  const entries = db.prepare('SELECT * FROM entry WHERE id > ? ORDER BY id');
  // SQLite takes the submitter from the row with the lowest id.
  const inFlight = db.prepare(
    'SELECT "authorization", submitter, min(id) FROM entry WHERE status IS NULL GROUP BY "authorization"',
  );
  const countTotals = db.prepare('SELECT count(*) AS n FROM fee_total');
  const feeTotals = db.prepare('SELECT * FROM fee_total');
  const totals = (): MovedRow[] => feeTotals.all() as MovedRow[];
  const rowsAfter = (id: number): Iterable<MovedRow> => rowsOf(entries, id, entryRow);
  return [
    {
      name: 'entry',
      key: 'id',
      count: () => Number(count.get()!['n']),
      rows: () => rowsAfter(0),
      writing: { rowsAfter, statement: WRITE_ENTRIES },
    },
    {
      name: 'in_flight',
      key: 'authorization',
      count: () => inFlight.all().length,
      rows: () =>
        inFlight
          .all()
          .map(({ authorization, submitter }) => ({ authorization, submitter }) as unknown as MovedRow),
      writing: undefined,
    },
    {
      name: 'fee_total',
      key: 'name',
      count: () => Number(countTotals.get()!['n']),
      rows: totals,
      writing: { rowsAfter: totals, statement: WRITE_TOTALS },
    },
    keysOf(db),
    eventsOf(db),
    answersOf(db),
  ];
}

function keysOf(db: DatabaseSync): MovedTable {
  const count = db.prepare('SELECT count(*) AS n FROM caller_key');
  const keys = db.prepare('SELECT * FROM caller_key WHERE change > ? ORDER BY change');
  const rowsAfter = (change: number): Iterable<MovedRow> =>
    rowsOf(keys, change, (row) => ({
      ...(row as MovedRow),
      secret_hash: bytesText(row['secret_hash'] as Uint8Array),
    }));
  return {
    name: 'caller_key',
    key: 'change',
    count: () => Number(count.get()!['n']),
    rows: () => rowsAfter(0),
    writing: { rowsAfter, statement: insertInto('caller_key') },
  };
}

function eventsOf(db: DatabaseSync): MovedTable {
  const count = db.prepare('SELECT count(*) AS n FROM event');
  const events = db.prepare('SELECT * FROM event WHERE seq > ? ORDER BY seq');
  const rowsAfter = (seq: number): Iterable<MovedRow> =>
    rowsOf(events, seq, (row) => ({ ...(row as MovedRow), ...timesIn(row, EVENT_TIMES) }));
  return {
    name: 'event',
    key: 'seq',
    count: () => Number(count.get()!['n']),
    rows: () => rowsAfter(0),
    writing: { rowsAfter, statement: insertInto('event') },
  };
}

function answersOf(db: DatabaseSync): MovedTable {
  const count = db.prepare('SELECT count(*) AS n FROM keyed_answer');
  const answers = db.prepare('SELECT * FROM keyed_answer WHERE id > ? ORDER BY id');
  const rowsAfter = (id: number): Iterable<MovedRow> =>
    rowsOf(answers, id, (row) => ({
      ...(row as MovedRow),
      ...timesIn(row, ['created_at']),
      is_settled: row['is_settled'] === 1,
    }));
  return {
    name: 'keyed_answer',
    key: 'id',
    count: () => Number(count.get()!['n']),
    rows: () => rowsAfter(0),
    writing: { rowsAfter, statement: insertInto('keyed_answer') },
  };
}

function entryRow(row: Record<string, unknown>): MovedRow {
  const { party, is_stellar_asset: isStellarAsset } = row;
  return {
    ...(row as MovedRow),
    ...timesIn(row, TIMES),
    opening: NO_OPENING,
    // Older entries lack both.
    party: (party ?? row['payer']) as string,
    is_stellar_asset: isStellarAsset === 1,
  };
}

/** The columns that hold unix milliseconds here, and times in PostgreSQL. */
const TIMES = ['asked_at', 'verified_at', 'opened_at', 'ended_at', 'listed_at', 'told_at'];
const EVENT_TIMES = ['queued_at', 'due_at', 'failed_at', 'given_up_at'];

const timesIn = (row: Record<string, unknown>, names: readonly string[]): MovedRow =>
  Object.fromEntries(names.map((name) => [name, timeText(row[name])]));

const timeText = (ms: unknown): string | null => (ms === null ? null : new Date(Number(ms)).toISOString());
