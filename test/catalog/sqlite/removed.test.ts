import type { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import { IN_MEMORY } from '../../../src/store/sqliteFile.ts';
import { settlementOf, type Draft } from '../drafts.ts';
import { BY_ADA } from '../sellers.ts';
import { indexContent } from './indexContent.ts';

function catalogOf(...drafts: Draft[]) {
  const db = openDatabase(IN_MEMORY);
  const store = createSqliteStore(db, { newListingsPerHour: 10 });
  onTestFinished(() => store.close());
  store.put(drafts.map(settlementOf));
  return { db, store };
}

/** All that the tables say, apart from the keeper's record, which names the listing. */
function textsIn(db: DatabaseSync): string {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'keeper_act'");
  return JSON.stringify(tables.all().map(({ name }) => db.prepare(`SELECT * FROM ${String(name)}`).all()));
}

test('a removed listing leaves an empty row, and nothing of what it said and of who was paid', () => {
  const kept: Draft = { name: 'kept', description: 'sun rain', terms: { payTo: 'GKEPT' } };
  const gone: Draft = { name: 'gone', description: 'sun secret', terms: { payTo: 'GGONE' } };
  const { db, store } = catalogOf(kept, gone, { ...gone, description: 'sun hidden secret' });
  expect(textsIn(db)).toMatch(/GGONE.*secret/s);
  const [listing] = db
    .prepare('SELECT resource, type, tool_name AS toolName FROM listing WHERE id = 2')
    .all();
  const hidden = { listing: listing as never, owner: 'GGONE', isHidden: true, signedAtMs: 1 };
  expect(store.keeper.sellerAct(hidden)).toBe('hidden');
  expect(store.keeper.remove({ id: 2, act: BY_ADA })).toBe('done');
  expect(textsIn(db)).not.toMatch(/GGONE|secret|gone/);
  expect(db.prepare('SELECT * FROM seller_act').all()).toEqual([]);
  const { state, ...index } = indexContent(db);
  const { state: alone, ...expected } = indexContent(catalogOf(kept).db);
  expect(index).toEqual(expected);
  expect(state).toEqual([{ ...(alone[0] as object), listings: 2 }]);
});
