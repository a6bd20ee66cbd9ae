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
import { hashOf, hashOfBlock, type Hashed } from './sqlite/logListing.ts';
import { adopt } from './sqlite/replicaState.ts';

const WRITE_LISTINGS = `
  WITH written AS (${insertInto('listing')} RETURNING listing)
  UPDATE ${SCHEMA}.catalog
  SET checksum = checksum # (SELECT bit_xor(${SCHEMA}.listing_hash(written.listing)) FROM written)`;

const WRITE_BLOCKS = `
  WITH written AS (${insertInto('keeper_block')} RETURNING key)
  UPDATE ${SCHEMA}.catalog
  SET checksum = checksum # (SELECT bit_xor(${SCHEMA}.block_hash(written.key)) FROM written)`;

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

/** The log begins with the creation of each listing, in order. Each rewording that there was follows, and each block. */
function catalogIn(db: DatabaseSync): MovedCatalog {
  const select = db.prepare(
    'SELECT listings, clock, cursor_key AS cursorKey, (SELECT count(*) FROM blocked) AS blocks FROM state',
  );
  const { blocks, ...state } = select.get() as unknown as Omit<MovedCatalog, 'position'> & { blocks: number };
  return { ...state, position: state.listings + state.clock + blocks };
}

/** Returns the listings, their earlier wordings, and the catalog as a whole. */
function tablesOf(db: DatabaseSync, { cursorKey, ...catalog }: MovedCatalog): MovedTable[] {
  const countOf = (table: string): number =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!['n']);
  // Listings are counted for an hour. When others were made is not known, and does not matter.
  const listings = db.prepare(
    `SELECT id, resource, type, tool_name, listing.owner, item, ledger, closed_at, payers, hidden,
       coalesce(made_at, 0) AS made_at
     FROM listing LEFT JOIN new_listing USING (id) WHERE id > ? ORDER BY id`,
  );
  const earlier = db.prepare('SELECT * FROM earlier_wording WHERE reworded > ? ORDER BY reworded');
  const listingsAfter = (id: number): Iterable<MovedRow> => rowsOf(listings, id, listingRow);
  const earlierRow = (row: Record<string, unknown>): MovedRow => ({
    ...(row as MovedRow),
    position: catalog.listings + Number(row['reworded']),
  });
  const earlierAfter = (reworded: number): Iterable<MovedRow> => rowsOf(earlier, reworded, earlierRow);
  const blocks = blocksIn(db, catalog);
  const checksumOfAll = (): bigint => {
    let checksum = 0n;
    for (const { closed_at: closedAt, ...row } of listings.iterate(0))
      checksum ^= hashOf({ ...row, closedAt } as unknown as Hashed);
    for (const { key } of blocks.rows()) checksum ^= hashOfBlock(String(key));
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
    blocks,
    actsIn(db),
    sellerActsIn(db),
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

function listingRow({
  resource,
  type,
  tool_name: toolName,
  hidden,
  ...row
}: Record<string, unknown>): MovedRow {
  const key = keyHash({ resource, type, toolName } as ListingKey);
  return { ...(row as MovedRow), hidden: hidden === 1, position: Number(row['id']), key: `\\x${key}` };
}

/** Returns the blocks that are in force. They follow the rewordings in the log. */
function blocksIn(db: DatabaseSync, { listings, clock }: Omit<MovedCatalog, 'cursorKey'>): MovedTable {
  const select = db.prepare('SELECT * FROM blocked ORDER BY since_ms, key');
  const rows = (): MovedRow[] =>
    select.all().map((row, at) => ({
      ...(row as MovedRow),
      is_active: true,
      position: listings + clock + at + 1,
    }));
  const rowsAfter = (position: number): MovedRow[] =>
    rows().filter((row) => Number(row['position']) > position);
  return {
    name: 'keeper_block',
    key: 'position',
    count: () => rows().length,
    rows,
    writing: { rowsAfter, statement: WRITE_BLOCKS },
  };
}

function actsIn(db: DatabaseSync): MovedTable {
  const select = db.prepare('SELECT * FROM keeper_act WHERE id > ? ORDER BY id');
  const rowsAfter = (id: number): Iterable<MovedRow> => rowsOf(select, id, (row) => row as MovedRow);
  return {
    name: 'keeper_act',
    key: 'id',
    count: () => [...rowsAfter(0)].length,
    rows: () => rowsAfter(0),
    writing: { rowsAfter, statement: insertInto('keeper_act') },
  };
}

function sellerActsIn(db: DatabaseSync): MovedTable {
  const select = db.prepare('SELECT * FROM seller_act WHERE listing > ? ORDER BY listing');
  const rowOf = (row: Record<string, unknown>): MovedRow => ({
    ...(row as MovedRow),
    by_seller: row['by_seller'] === 1,
    by_operator: row['by_operator'] === 1,
  });
  const rowsAfter = (listing: number): Iterable<MovedRow> => rowsOf(select, listing, rowOf);
  return {
    name: 'seller_act',
    key: 'listing',
    count: () => [...rowsAfter(0)].length,
    rows: () => rowsAfter(0),
    writing: { rowsAfter, statement: insertInto('seller_act') },
  };
}
