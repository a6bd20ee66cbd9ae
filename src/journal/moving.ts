import type { DatabaseSync } from 'node:sqlite';
import { insertInto, rowsOf, type MovedFile, type MovedRow, type MovedTable } from '../store/moving.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { openJournalAlone } from './file.ts';

/** Stands for the opening of each entry. No process has opened one by this. */
const NO_OPENING = '00000000-0000-0000-0000-000000000000';

const WRITE_ENTRIES = `
  WITH written AS (${insertInto('entry')} RETURNING "authorization", submitter, status)
  INSERT INTO ${SCHEMA}.in_flight SELECT "authorization", submitter FROM written WHERE status IS NULL
  ON CONFLICT DO NOTHING`;

/** Opens the journal's file to move it into PostgreSQL. Throws UnusableFile. */
export function openMovedJournal(path: string): MovedFile {
  const db = openJournalAlone(path);
  return { tables: tablesOf(db), close: () => db.close() };
}

/** Returns the entries, and the authorizations that open ones have in flight. */
function tablesOf(db: DatabaseSync): MovedTable[] {
  const count = db.prepare('SELECT count(*) AS n FROM entry');
  const entries = db.prepare('SELECT * FROM entry WHERE id > ? ORDER BY id');
  // SQLite takes the submitter from the row with the lowest id.
  const inFlight = db.prepare(
    'SELECT "authorization", submitter, min(id) FROM entry WHERE status IS NULL GROUP BY "authorization"',
  );
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
  ];
}

function entryRow(row: Record<string, unknown>): MovedRow {
  const { opened_at: openedAtMs, ended_at: endedAtMs, party, is_stellar_asset: isStellarAsset } = row;
  return {
    ...(row as MovedRow),
    opening: NO_OPENING,
    opened_at: timeText(openedAtMs),
    ended_at: endedAtMs === null ? null : timeText(endedAtMs),
    // Older entries lack both.
    party: (party ?? row['payer']) as string,
    is_stellar_asset: isStellarAsset === 1,
  };
}

const timeText = (ms: unknown): string => new Date(Number(ms)).toISOString();
