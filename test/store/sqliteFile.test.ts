import type { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

/** SQLite refuses to lock the file this many more times. */
let refusals = 0;

vi.mock('node:sqlite', async (original) => {
  const sqlite = await original<{ DatabaseSync: typeof DatabaseSync }>();
  const SQLITE_BUSY_RECOVERY = 261;
  class Refusing extends sqlite.DatabaseSync {
    override exec(sql: string): void {
      if (sql.includes('journal_mode') && refusals-- > 0)
        throw Object.assign(new Error('database is locked'), { errcode: SQLITE_BUSY_RECOVERY });
      super.exec(sql);
    }
  }
  return { ...sqlite, DatabaseSync: Refusing };
});

test.each([
  ['catalog', openDatabase],
  ['journal', openJournalFile],
])('the file of the %s is tried again if SQLite refuses a lock without waiting for it', (_file, open) => {
  refusals = 3;
  open(join(temporaryFolder(), 'new.db')).close();
  expect(refusals).toBeLessThan(0);
});
