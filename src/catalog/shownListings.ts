import type { DatabaseSync } from 'node:sqlite';
import type { Query } from '../store/postgres.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import { withStale } from './checks/stale.ts';
import { openSharedKeeper } from './keeper/open.ts';
import { coveringKeys, keyOfBlock } from './keeper/target.ts';
import { LISTINGS_PER_READ } from './limits.ts';
import { openDatabase } from './sqlite/database.ts';
import { createHidden } from './sqlite/hidden.ts';
import { provenUntil, readItem, shownItem } from './sqlite/listingRow.ts';
import { adopt } from './sqlite/replicaState.ts';
import { transaction } from '../store/sqliteFile.ts';

/**
 * Listings that were paid for here and are neither hidden nor blocked, some at a time: JSON texts as they are served,
 * the oldest first.
 */
export type ShownListings = AsyncIterable<readonly string[]>;

const IN_FILE = `
  SELECT id, item, proven_until AS provenUntil FROM listing WHERE id > ? AND item <> '' ORDER BY id LIMIT ?`;

/** A listing that is shown, as it is stored. */
interface ShownRow {
  readonly id: number;
  readonly item: string;
  readonly provenUntil: number | null;
}

/**
 * Reads the listings of a catalog's file, which the service may have open too. Each read waits up to `busyTimeoutMs` for
 * the service's writes, and holds up none of them. Throws UnusableFile.
 */
export async function* shownInFile(
  path: string,
  { busyTimeoutMs }: { busyTimeoutMs: number },
): ShownListings {
  const db = openDatabase(path);
  try {
    adopt(db, undefined);
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    for (const rows of rowsInFile(db)) yield textsOf(rows);
  } finally {
    db.close();
  }
}

/** Reads all listings that are shown, some at a time, from after an id on. Imported ones are among them. */
export function* rowsInFile(db: DatabaseSync, first = 0): Generator<readonly ShownRow[]> {
  const select = db.prepare(IN_FILE);
  const hidden = createHidden(db);
  for (let last: number | undefined = first; last !== undefined;) {
    const after: number = last;
    const { rows, shown } = transaction(db, 'BEGIN', () => {
      const found = select.all(after, LISTINGS_PER_READ) as unknown as ShownRow[];
      return { rows: found, shown: found.filter(({ id }) => !hidden.has(id)) };
    });
    yield shown;
    last = rows.at(-1)?.id;
  }
}

const IN_DATABASE = `
  SELECT id, owner, item, hidden FROM ${SCHEMA}.listing WHERE id > $1 AND item <> '' ORDER BY id LIMIT $2`;

/** Reads the listings of a catalog that instances share, without an index. */
export async function* shownInDatabase(query: Query): ShownListings {
  for await (const rows of rowsInDatabase(query)) yield textsOf(rows);
}

/** Works like `rowsInFile`. */
export async function* rowsInDatabase(query: Query, first = 0): AsyncGenerator<readonly ShownRow[]> {
  const keeper = openSharedKeeper(query);
  for (let last: unknown = first; last !== undefined;) {
    const rows = await query(IN_DATABASE, [last, LISTINGS_PER_READ]);
    const blocked = new Set((await keeper.blocks()).map(keyOfBlock));
    yield rows
      .filter(({ hidden }) => hidden !== true)
      .map(({ id, owner, item }) => ({ id: Number(id), owner: String(owner), item: String(item) }))
      .map((row) => ({ ...row, read: readItem(row.item) }))
      .filter(
        ({ owner, read }) =>
          !coveringKeys({ resource: read?.resource ?? '', owner }).some((key) => blocked.has(key)),
      )
      .map(({ id, item, read }) => ({
        id,
        item,
        provenUntil: read === undefined ? null : provenUntil(read),
      }));
    last = rows.at(-1)?.['id'];
  }
}

/** Leaves out damaged rows, and what was imported: that is for its source to tell. Leaves out marks of checks made here. */
function textsOf(rows: readonly ShownRow[]): string[] {
  const nowMs = Date.now();
  return rows.flatMap((row) => {
    const read = readItem(row.item);
    if (read === undefined || read.source !== undefined) return [];
    const item = read.stale === undefined ? row.item : JSON.stringify(withStale(read, undefined));
    return [shownItem({ ...row, item }, nowMs)];
  });
}
