// Fills a database in a process of its own, whose memory goes with it: `catalog | peer`, file, listings, seed.
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import { listingAt } from './listings.ts';
import { createPeer } from './peer.ts';

/** Many to a transaction: each row of the index is then written once for all of them. */
const BATCH = 40_960;

const [what = '', path = '', ...numbers] = process.argv.slice(2);
const [listings = 0, seed = 0] = numbers.map(Number);
const { put, close } = what === 'catalog' ? openCatalog() : createPeer(path);
for (let from = 0; from < listings; from += BATCH) {
  const length = Math.min(BATCH, listings - from);
  put(Array.from({ length }, (_, at) => listingAt(seed, from + at, listings)));
  console.error(`${what} of ${listings}: ${Math.round((100 * (from + length)) / listings)} %`);
}
close();

/** Tuned to be filled; what it is opened with later is its own. */
function openCatalog(): { put(settlements: readonly Settlement[]): void; close(): void } {
  const db = openDatabase(path);
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -600000; PRAGMA wal_autocheckpoint = 50000');
  const store = createSqliteStore(db);
  return {
    put: (settlements) => void store.put(settlements),
    close() {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      store.close();
    },
  };
}
