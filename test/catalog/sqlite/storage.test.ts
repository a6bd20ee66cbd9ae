import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOperations } from '../../../src/catalog/operations.ts';
import { openDatabase } from '../../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import { FIRST_SETTLED_AT, TERMS } from '../drafts.ts';
import { createRandom } from '../random.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

const KIB = 1024;
const SEED = 20261127;
/** As docs/operator-reference.md says. */
const PAYMENT_LIMIT_BYTES = 128 * KIB;
const ITEM_LIMIT_BYTES = 96 * KIB;

/** A catalog in a file, until the test ends. */
function open() {
  const path = join(temporaryFolder(), 'catalog.db');
  const db = openDatabase(path);
  onTestFinished(() => db.close());
  const { submit } = createOperations(createSqliteStore(db));
  const number = (sql: string): number => Number(Object.values(db.prepare(sql).get()!)[0]);
  return {
    number,
    /** Of the file, when all is in it. */
    bytes(): number {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return statSync(path).size;
    },
    pay(what: { bazaar: object; resource: object; nth: number }): void {
      const { bazaar, resource, nth } = what;
      const requirements = { ...TERMS, amount: String(nth + 1), extra: { note: 'x'.repeat(700) } };
      const extensionsText = JSON.stringify({ bazaar });
      expect(Buffer.byteLength(extensionsText)).toBeLessThanOrEqual(64 * KIB);
      const settled = { extensionsText, resource, requirements, settledAt: FIRST_SETTLED_AT };
      expect(submit({ ...settled, isStellarAsset: true })).toBeUndefined();
    },
  };
}

/** A block of exactly 64 KiB. */
function filled(bazaar: object): object {
  const bytes = Buffer.byteLength(JSON.stringify({ bazaar: { ...bazaar, title: '' } }));
  return { ...bazaar, title: 'x'.repeat(64 * KIB - bytes) };
}

const random = createRandom(SEED);
const urlOf = (nth: number): string => `https://seller.example/${nth}/`.padEnd(2_048, 'a');
const word = (letters: string, length: number): string =>
  Array.from({ length }, () => letters[random.below(letters.length)]).join('');

/** Words that no other listing has, in all that is searched, as much as there may be. */
function wordy(letters: string, length: number) {
  const words = (characters: number): string =>
    Array.from({ length: Math.floor(characters / (length + 1)) }, () => word(letters, length)).join(' ');
  const parameters = { properties: { queryParams: { description: words(8_192) } } };
  return {
    bazaar: filled({
      info: { input: { type: 'http', method: 'GET' } },
      schema: { properties: { input: parameters } },
    }),
    description: words(4_096),
    iconUrl: 'https://seller.example/'.padEnd(2_048, 'i'),
    tags: Array.from({ length: 5 }, () => word('abcdefgh', 32)),
  };
}

const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const LISTINGS = 30;

test.each([
  ['short words', LATIN, 6],
  ['as many and as long as fit', LATIN, 12],
  ['long words', LATIN, 60],
  ['words without end', LATIN, 4_000],
  ['words that become longer', '가힣뷁각닭', 20],
  ['words of three bytes a letter', '語天気予報東京', 15],
  ['words of control characters around them', '\u0001a', 9],
])('one payment stores at most 128 KiB, whatever it declares: %s', (_, letters, length) => {
  const { pay, bytes, number } = open();
  for (let nth = 0; nth < 2; nth += 1) pay({ ...payment(nth), nth });
  const before = bytes();
  for (let nth = 2; nth < 2 + LISTINGS; nth += 1) pay({ ...payment(nth), nth });
  const made = (bytes() - before) / LISTINGS;
  expect(made).toBeLessThan(PAYMENT_LIMIT_BYTES);
  // The same listing with other words each time: what it said before is kept for a while.
  for (let nth = 0; nth < LISTINGS; nth += 1) pay({ ...payment(0), nth });
  const itemBytes = number('SELECT max(octet_length(item)) FROM listing');
  expect(itemBytes).toBeLessThan(ITEM_LIMIT_BYTES);
  expect(number('SELECT max(octet_length(words)) FROM earlier_wording')).toBeLessThan(12 * KIB);
  // Index and earlier wording together at most as much again as the block may have.
  const earlier = number('SELECT sum(octet_length(words)) / count(*) FROM earlier_wording');
  const fresh = number(`SELECT octet_length(item) FROM listing WHERE id = ${LISTINGS}`);
  expect(made - fresh + earlier).toBeLessThan(64 * KIB);

  function payment(nth: number) {
    const { bazaar, ...resource } = wordy(letters, length);
    return { bazaar, resource: { url: urlOf(nth), ...resource } };
  }
});

test('so it does with a tool whose name is as long as can be', () => {
  const { pay, bytes, number } = open();
  const tool = (nth: number) => ({
    bazaar: {
      info: { input: { type: 'mcp', toolName: `${'t'.repeat(65_300)}${nth}`, inputSchema: {} } },
      schema: {},
    },
    resource: { url: urlOf(0) },
    nth,
  });
  pay(tool(0));
  const before = bytes();
  for (let nth = 1; nth <= LISTINGS; nth += 1) pay(tool(nth));
  expect((bytes() - before) / LISTINGS).toBeLessThan(PAYMENT_LIMIT_BYTES);
  // Still each of its own.
  expect(number('SELECT count(*) FROM listing')).toBe(LISTINGS + 1);
  pay(tool(LISTINGS));
  expect(number('SELECT count(*) FROM listing')).toBe(LISTINGS + 1);
});

test('of the terms of a listing, the newest stay that have 8 KiB together', () => {
  const { pay, number } = open();
  const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: {} };
  for (let nth = 0; nth < 40; nth += 1) pay({ bazaar, resource: { url: urlOf(0) }, nth });
  expect(number("SELECT octet_length(json_extract(item, '$.accepts')) FROM listing")).toBeLessThan(8 * KIB);
  expect(number("SELECT json_array_length(item, '$.accepts') FROM listing")).toBeGreaterThan(6);
  expect(number("SELECT json_extract(item, '$.accepts[#-1].amount') FROM listing")).toBe(40);
});
