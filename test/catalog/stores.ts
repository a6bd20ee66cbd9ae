import { join } from 'node:path';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { openDatabase, openReadOnly } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore, type StoreOptions } from '../../src/catalog/sqlite/store.ts';
import type { Store } from '../../src/catalog/store.ts';
import { binaries } from '../postgres/server.ts';
import { sharedPlace } from './sharedStore.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** Where one catalog is kept, empty at first. */
export interface Place extends Disposable {
  /** Opens it to read and write. Only where the kind of store lasts may it be opened again. */
  connect(): Store;
}

/** A way to keep a catalog. What the tests of this folder say of a catalog holds for each. */
export interface StoreKind {
  readonly name: string;
  /** Whether a catalog outlives its connections. */
  readonly lasts: boolean;
  place(options?: StoreOptions): Place;
}

const inMemory: StoreKind = {
  name: 'SQLite in memory',
  lasts: false,
  place: (options) => placeOf(() => createSqliteStore(openDatabase(IN_MEMORY), options)),
};

const inFile: StoreKind = {
  name: 'SQLite in a file',
  lasts: true,
  place({ retrievalCap, model, ...options } = {}) {
    const path = join(temporaryFolder(), 'catalog.db');
    return placeOf(() => {
      const writer = createSqliteStore(openDatabase(path), options);
      const reader = createSqliteStore(openReadOnly(path), { retrievalCap, model });
      return {
        ...reader,
        put: writer.put,
        keeper: writer.keeper,
        proofs: writer.proofs,
        close() {
          reader.close();
          writer.close();
        },
      };
    });
  },
};

const shared: StoreKind = {
  name: 'PostgreSQL, with an index in a file',
  lasts: true,
  place: (options) => placeOf(sharedPlace(options)),
};

/** Each statement goes through another thread, which takes long: `npm test` holds PostgreSQL to the rules of test/postgres. */
const isTried = process.env['TEST_LONG'] !== undefined;
if (isTried && binaries === undefined)
  console.log('skipped: the catalog in PostgreSQL, as this machine has none');

/** For rules of SQLite alone. */
export const localStores: readonly StoreKind[] = [inMemory, inFile];
export const stores: readonly StoreKind[] = [
  ...localStores,
  ...(isTried && binaries !== undefined ? [shared] : []),
];
export const lastingStores: readonly StoreKind[] = stores.filter(({ lasts }) => lasts);
/** For what costs too much to be done over each: rules that do not depend on where the catalog is kept. */
export const quickStore: StoreKind = inMemory;

function placeOf(connect: () => Store): Place {
  const open = new Set<Store>();
  return {
    connect() {
      const connected = connect();
      const store: Store = {
        ...connected,
        close() {
          open.delete(store);
          connected.close();
        },
      };
      open.add(store);
      return store;
    },
    [Symbol.dispose]() {
      for (const store of open) store.close();
    },
  };
}
