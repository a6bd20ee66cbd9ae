import { chmodSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openJournalFile } from '../../src/journal/file.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ENV, expectRefused, startInside, withoutRights } from '../support/refusedStart.ts';

/** A folder of its own with a journal. */
function prepare(): { journal: string; DB_PATH: string } {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  const journal = join(folder, 'catalog.settlements.db');
  openJournalFile(journal).close();
  return { journal, DB_PATH: join(folder, 'catalog.db') };
}

test('a damaged journal is told at start: what was under way may stand in it', async () => {
  const { journal, DB_PATH } = prepare();
  truncateSync(journal, statSync(journal).size - 4_096);
  expect(await startInside(DB_PATH, 'journal')).toMatch(
    /^is damaged: put a backup in its place, or move it away to start an empty one/,
  );
});

test('so is a journal that may not be written', () => {
  const { journal } = prepare();
  chmodSync(journal, 0o444);
  expect(() => withoutRights(() => openJournalFile(journal))).toThrow(
    /^cannot be written: name a file in a folder that this user may write to/,
  );
});

test('so is a journal that another process has locked, until it lets go', async () => {
  const { journal, DB_PATH } = prepare();
  const other = new DatabaseSync(journal);
  other.exec('BEGIN IMMEDIATE');
  await expectRefused(
    startChild(process.execPath, ['dist/stellar-facilitator.js'], { env: { ...ENV, DB_PATH } }),
    /^DB_PATH, the journal beside it \(catalog\.settlements\.db\), is locked by another process: stop that, or wait until it has started\n$/,
  );
  other.close();
  expect(await startInside(DB_PATH)).toBeUndefined();
});
