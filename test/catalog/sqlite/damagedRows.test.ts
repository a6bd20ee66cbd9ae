import type { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { IN_MEMORY } from '../../../src/store/sqliteFile.ts';
import { createOperations } from '../../../src/catalog/operations.ts';
import type { Part } from '../../../src/catalog/pages.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse, Refusal } from '../../../src/contract/index.ts';
import { namesOf, settlementOf, TERMS } from '../drafts.ts';
import { readParts } from '../pages.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const draft = (name: string) => settlementOf({ name, description: `rain ${name}`, tags: [name] });

/** A catalog of four listings, to be changed by hand. */
function open() {
  const db: DatabaseSync = openDatabase(IN_MEMORY);
  onTestFinished(() => db.close());
  const store = createSqliteStore(db);
  store.put(NAMES.map(draft));
  const operations = createOperations(store);
  const { list, search } = operations;
  const read = <Body>(answer: Part | Refusal): Body => readParts(operations, answer);
  return {
    db,
    store,
    listed: (filters = {}): string[] => namesOf(read<DiscoveryListResponse>(list({ filters })).items),
    found: (query: string, filters = {}): string[] =>
      namesOf(read<DiscoverySearchResponse>(search({ query, filters })).resources),
  };
}

const DAMAGE: [what: string, sql: string][] = [
  ['is deleted', 'DELETE FROM listing WHERE id = 2'],
  ['is no JSON', 'UPDATE listing SET item = \'{"resource":\' WHERE id = 2'],
  ['is empty', "UPDATE listing SET item = '' WHERE id = 2"],
  ['is a number', "UPDATE listing SET item = '7' WHERE id = 2"],
  ['would end the answer early', "UPDATE listing SET item = '{}]}' WHERE id = 2"],
  ['is JSON for people', "UPDATE listing SET item = '{a:1}' WHERE id = 2"],
];

describe.each(DAMAGE)('a listing that %s', (_, sql) => {
  test('is left out of lists and searches, and the others are there', () => {
    const { db, listed, found } = open();
    db.exec(sql);
    expect(listed()).toEqual(['a', 'c', 'd']);
    expect(listed({ payTo: TERMS.payTo, type: 'http' })).toEqual(['a', 'c', 'd']);
    expect(found('rain').sort()).toEqual(['a', 'c', 'd']);
    expect(found('b')).toEqual([]);
  });

  test('is there again after its next sale', () => {
    const { db, store, listed, found } = open();
    db.exec(sql);
    store.put([draft('b')]);
    expect(listed().sort()).toEqual(NAMES);
    expect(listed({ payTo: TERMS.payTo }).sort()).toEqual(NAMES);
    expect(found('b')).toEqual(['b']);
  });
});

test('a listing whose terms or words are damaged is whole again after its next sale', () => {
  const { db, store, found } = open();
  db.exec("UPDATE listing SET words = '[[', item = json_set(item, '$.accepts', json('[null]')) WHERE id = 2");
  expect(store.put([draft('b')])).toEqual(['refreshed']);
  expect(found('b', { payTo: TERMS.payTo })).toEqual(['b']);
});

const INDEX = ['word', 'posting', 'length', 'facet', 'member', 'earlier_wording', 'new_listing'];

test.each(INDEX)('rows of %s that are deleted fail no list and no search', (table) => {
  const { db, listed, found } = open();
  db.exec(`DELETE FROM ${table}`);
  expect(listed()).toEqual(NAMES);
  expect(() => [
    listed({ payTo: TERMS.payTo }),
    found('rain'),
    found('rain', { type: 'http' }),
  ]).not.toThrow();
});

test.each(['posting', 'length', 'member'])(
  'rows of %s that are cut, or are something else, neither',
  (table) => {
    for (const data of [
      "x''",
      "x'01'",
      "x'010203'",
      "x'0102030405'",
      'randomblob(999)',
      'randomblob(40001)',
    ]) {
      const { db, listed, found } = open();
      db.exec(`UPDATE ${table} SET data = ${data}`);
      expect(listed()).toEqual(NAMES);
      expect(() => [
        listed({ payTo: TERMS.payTo }),
        found('rain'),
        found('rain', { type: 'http' }),
      ]).not.toThrow();
    }
  },
);
