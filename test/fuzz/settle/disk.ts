import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IN_MEMORY } from '../../../src/store/sqliteFile.ts';
import { createOperations, type Operations } from '../../../src/catalog/operations.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';

/** What outlives the service's processes. */
export interface Disk extends Disposable {
  /** Where the journal lies now. */
  journalPath(): string;
  /**
   * Keeps the journal as it is at this moment, as the next process will find it: what the present one still writes goes
   * to a file that nobody opens again.
   */
  freeze(): void;
  /** The catalog: its rules and its store, without its threads. Whatever is written at once is written for good. */
  readonly catalog: Operations;
}

/** SQLite's second file, with what is not yet in the first. */
const WAL = '-wal';

export function createDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'settle-model-'));
  const pathOf = (life: number): string => join(folder, `journal-${life}.db`);
  const store = createSqliteStore(openDatabase(IN_MEMORY));
  let life = 0;
  return {
    journalPath: () => pathOf(life),
    freeze() {
      const from = pathOf(life++);
      for (const file of ['', WAL])
        if (existsSync(from + file)) copyFileSync(from + file, pathOf(life) + file);
    },
    catalog: createOperations(store),
    [Symbol.dispose]() {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
