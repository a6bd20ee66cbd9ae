import type { DatabaseSync } from 'node:sqlite';
import {
  bytesText,
  insertInto,
  rowsOf,
  type MovedFile,
  type MovedRow,
  type MovedTable,
} from '../store/moving.ts';
import type { MovedCatalog } from '../store/movingIn.ts';
import { SCHEMA } from '../store/postgresSchema.ts';
import type { ListingKey } from './listing.ts';
import { openCatalogAlone } from './sqlite/database.ts';
import { keyHash } from './sqlite/propose.ts';
import { hashOf, type Hashed } from './sqlite/logListing.ts';
import { adopt } from './sqlite/replica.ts';

const WRITE_LISTINGS = `
  WITH written AS (${insertInto('listing')} RETURNING listing)
  UPDATE ${SCHEMA}.catalog
  SET checksum = checksum # (SELECT bit_xor(${SCHEMA}.listing_hash(written.listing)) FROM written)`;

export interface MovedCatalogFile extends MovedFile {
  readonly catalog: MovedCatalog;
}

/** Opens the catalog's file to move it into PostgreSQL. Throws UnusableFile. */
export function openMovedCatalog(path: string): MovedCatalogFile {
  const db = openCatalogAlone(path);
  try {
    adopt(db, undefined);
    const catalog = catalogIn(db);
    return { catalog, tables: tablesOf(db, catalog), close: () => db.close() };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The log begins with the creation of each listing, in order. Each rewording that there was follows. */
function catalogIn(db: DatabaseSync): MovedCatalog {
  const select = db.prepare('SELECT listings, clock, cursor_key AS cursorKey FROM state');
  const state = select.get() as unknown as Omit<MovedCatalog, 'position'>;
  return { ...state, position: state.listings + state.clock };
}

/** Returns the listings, their earlier wordings, and the catalog as a whole. */
function tablesOf(db: DatabaseSync, { cursorKey, ...catalog }: MovedCatalog): MovedTable[] {
  const countOf = (table: string): number =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!['n']);
  // Listings are counted for an hour. When others were made is not known, and does not matter.
  const listings = db.prepare(
    `SELECT id, resource, type, tool_name, listing.owner, item, ledger, closed_at, coalesce(made_at, 0) AS made_at
     FROM listing LEFT JOIN new_listing USING (id) WHERE id > ? ORDER BY id`,
  );
  const earlier = db.prepare('SELECT * FROM earlier_wording WHERE reworded > ? ORDER BY reworded');
  const listingsAfter = (id: number): Iterable<MovedRow> => rowsOf(listings, id, listingRow);
  const earlierRow = (row: Record<string, unknown>): MovedRow => ({
    ...(row as MovedRow),
    position: catalog.listings + Number(row['reworded']),
  });
  const earlierAfter = (reworded: number): Iterable<MovedRow> => rowsOf(earlier, reworded, earlierRow);
  const checksumOfAll = (): bigint => {
    let checksum = 0n;
    for (const { closed_at: closedAt, ...row } of listings.iterate(0))
      checksum ^= hashOf({ ...row, closedAt } as unknown as Hashed);
    return checksum;
  };

  return [
    {
      name: 'listing',
      key: 'id',
      count: () => countOf('listing'),
      rows: () => listingsAfter(0),
      writing: { rowsAfter: listingsAfter, statement: WRITE_LISTINGS },
    },
    {
      name: 'earlier_wording',
      key: 'reworded',
      count: () => countOf('earlier_wording'),
      rows: () => earlierAfter(0),
      writing: { rowsAfter: earlierAfter, statement: insertInto('earlier_wording') },
    },
    {
      name: 'catalog',
      key: 'id',
      count: () => 1,
      rows: () => [
        { id: true, ...catalog, checksum: String(checksumOfAll()), cursor_key: bytesText(cursorKey) },
      ],
      writing: undefined,
    },
  ];
}

function listingRow({ resource, type, tool_name: toolName, ...row }: Record<string, unknown>): MovedRow {
  const key = keyHash({ resource, type, toolName } as ListingKey);
  return { ...(row as MovedRow), position: Number(row['id']), key: `\\x${key}` };
}
