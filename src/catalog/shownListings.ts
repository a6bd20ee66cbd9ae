import type { Query } from '../store/postgres.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
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

interface FileRow {
  id: number;
  item: string;
  provenUntil: number | null;
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
    const select = db.prepare(IN_FILE);
    const hidden = createHidden(db);
    for (let last: number | undefined = 0; last !== undefined;) {
      const after: number = last;
      const { rows, shown } = transaction(db, 'BEGIN', () => {
        const found = select.all(after, LISTINGS_PER_READ) as unknown as FileRow[];
        return { rows: found, shown: found.filter(({ id }) => !hidden.has(id)) };
      });
      yield textsOf(shown);
      last = rows.at(-1)?.id;
    }
  } finally {
    db.close();
  }
}

const IN_DATABASE = `
  SELECT id, owner, item, hidden FROM ${SCHEMA}.listing WHERE id > $1 AND item <> '' ORDER BY id LIMIT $2`;

/** Reads the listings of a catalog that instances share, without an index. */
export async function* shownInDatabase(query: Query): ShownListings {
  const keeper = openSharedKeeper(query);
  for (let last: unknown = 0; last !== undefined;) {
    const rows = await query(IN_DATABASE, [last, LISTINGS_PER_READ]);
    const blocked = new Set((await keeper.blocks()).map(keyOfBlock));
    const listings = rows
      .filter(({ hidden }) => hidden !== true)
      .map(({ owner, item }) => ({ owner: String(owner), item: String(item), read: readItem(String(item)) }))
      .filter(
        ({ owner, read }) =>
          !coveringKeys({ resource: read?.resource ?? '', owner }).some((key) => blocked.has(key)),
      );
    yield textsOf(
      listings.map(({ item, read }) => ({
        item,
        provenUntil: read === undefined ? null : provenUntil(read),
      })),
    );
    last = rows.at(-1)?.['id'];
  }
}

/** Leaves out damaged rows, and what was imported: that is for its source to tell. */
function textsOf(rows: readonly Pick<FileRow, 'item' | 'provenUntil'>[]): string[] {
  const nowMs = Date.now();
  const isExported = (item: string): boolean => {
    const read = readItem(item);
    return read !== undefined && read.source === undefined;
  };
  return rows.filter(({ item }) => isExported(item)).map((row) => shownItem(row, nowMs));
}
