import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { openAlone, openFile, type FileKind } from '../../store/sqliteFile.ts';
import { BUSY_TIMEOUT_MS, CHECKPOINT_AT_BYTES, PAGE_CACHE_KIB } from '../limits.ts';
import { canonicalUrl } from '../declaration/resource.ts';
import { blockOf, BLOCK_SIZE, bytesOf, placeOf } from './blocks.ts';
import { readItem, toolKey } from './listingRow.ts';
import { MIGRATIONS } from './migrations.ts';

/** Marks the file as the catalog's, in its header: "x402". */
const APPLICATION_ID = 0x78343032;

const TABLES = [
  'state',
  'listing',
  'new_listing',
  'earlier_wording',
  'word',
  'posting',
  'length',
  'facet',
  'member',
  'replica',
  'blocked',
  'unfinished_block',
  'hidden',
  'keeper_act',
  'seller_act',
  'seller_signed',
  'terms',
  'price',
  'paid_at',
  'traits_fill',
  'proven',
];

const KIND: FileKind = {
  name: 'catalog',
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  tables: TABLES,
  startedInstead: 'an empty catalog',
  isWhole: (db) => db.prepare('SELECT 1 FROM state').get() !== undefined,
  defineFunctions,
};

/** Opens the catalog's file for writing. Throws UnusableFile. */
export function openDatabase(path: string): DatabaseSync {
  const db = openFile(path, KIND);
  // The store's `tidy` copies the log into the file when no settlement waits.
  db.exec('PRAGMA wal_autocheckpoint = 0');
  return tuned(db);
}

/** Opens the same file for reading. */
export function openReadOnly(path: string): DatabaseSync {
  return tuned(new DatabaseSync(path, { readOnly: true }));
}

/** Opens the file to read it, and keeps all other processes out. Throws UnusableFile. */
export const openCatalogAlone = (path: string): DatabaseSync => openAlone(path, KIND);

/** Copies the write-ahead log into the file if it is long. If readers are in the way, a later call does it. */
export function checkpoint(db: DatabaseSync): void {
  const path = db.location();
  if (path === null) return;
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > CHECKPOINT_AT_BYTES) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

function tuned(db: DatabaseSync): DatabaseSync {
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
  return db;
}

/** Defines the SQL functions that the migrations need. */
function defineFunctions(db: DatabaseSync): void {
  db.function('tool_key', { deterministic: true }, (toolName) => toolKey(String(toolName)));
  db.function('canonical_resource', { deterministic: true }, (resource) => {
    const url = URL.parse(String(resource));
    return url === null ? resource : canonicalUrl(url);
  });
  db.function('renamed_item', (text, resource) => {
    const item = readItem(String(text));
    return item === undefined ? text : JSON.stringify({ ...item, resource });
  });
  db.function('block_of', { deterministic: true }, (id) => blockOf(Number(id)));
  db.aggregate('proven_row', {
    start: () => new Float64Array(BLOCK_SIZE) as never,
    step: (times: unknown, id, untilMs) => {
      (times as Float64Array)[placeOf(Number(id))] = Number(untilMs);
      return times as never;
    },
    result: (times: unknown) => bytesOf(times as Float64Array),
  });
}
