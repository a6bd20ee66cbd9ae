import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openCatalog } from '../../../src/catalog/index.ts';
import { createOperations } from '../../../src/catalog/operations.ts';
import { BLOCK_SIZE } from '../../../src/catalog/sqlite/blocks.ts';
import type { Settlement } from '../../../src/catalog/store.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../../src/contract/index.ts';
import { IN_MEMORY, UnusableFile } from '../../../src/store/sqliteFile.ts';
import { openDatabase, openReadOnly } from '../../../src/catalog/sqlite/database.ts';
import { MIGRATIONS } from '../../../src/catalog/sqlite/migrations.ts';
import { createSqliteStore } from '../../../src/catalog/sqlite/store.ts';
import { silent } from '../../support/service.ts';
import { FIRST_SETTLED_AT, settlementOf, TERMS, urlOf } from '../drafts.ts';
import { readPage, readParts } from '../pages.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { indexContent } from './indexContent.ts';

const pragma = (db: DatabaseSync, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/** What a file says of itself. */
function versionOf(path: string) {
  using db = new DatabaseSync(path, { readOnly: true });
  return { format: pragma(db, 'user_version'), application: pragma(db, 'application_id') };
}

/** A catalog's file with so many listings. */
function catalogFile(path: string, listings = 1): void {
  const store = createSqliteStore(openDatabase(path));
  store.put(
    Array.from({ length: listings }, (_, at) => settlementOf({ name: `n${at}`, description: `word${at}` })),
  );
  store.close();
}

function totalOf(path: string): number {
  const store = createSqliteStore(openDatabase(path));
  const { total } = store.list({}, 0, 1);
  store.close();
  return total;
}

/** Changes a file with SQLite's own means. */
function change(path: string, sql: string): void {
  using db = new DatabaseSync(path);
  db.exec(sql);
}

const AS_IN_FORMAT_10 =
  'DROP TABLE seller_signed; DROP TABLE proven; ALTER TABLE listing DROP COLUMN payers; PRAGMA user_version = 10';
const AS_IN_FORMAT_7 =
  'DROP TABLE terms; DROP TABLE price; DROP TABLE paid_at; DROP TABLE traits_fill; DROP TABLE proven; DROP TABLE seller_act; DROP TABLE seller_signed; DROP INDEX listing_proven; DROP INDEX listing_owner; ALTER TABLE listing DROP COLUMN proven_until; ALTER TABLE listing DROP COLUMN payers; CREATE INDEX listing_owner ON listing (owner); PRAGMA user_version = 7';
const AS_IN_FORMAT_2 = `${AS_IN_FORMAT_7}; DROP TABLE blocked; DROP TABLE hidden; DROP TABLE unfinished_block; DROP TABLE keeper_act; DROP INDEX listing_owner; DROP INDEX listing_hidden; ALTER TABLE listing DROP COLUMN hidden; DROP TABLE new_listing; DROP TABLE replica; ALTER TABLE listing DROP COLUMN position; ALTER TABLE listing DROP COLUMN ledger; PRAGMA user_version = 2`;

/** The message with which a file is refused. It never names the path: the log has its own field for that. */
function refusalOf(path: string, open: (path: string) => DatabaseSync = openDatabase): string {
  try {
    open(path).close();
  } catch (error) {
    expect(error).toBeInstanceOf(UnusableFile);
    const { message } = error as Error;
    expect(message).not.toContain('.db');
    expect(message).not.toContain('/');
    return message;
  }
  throw new Error('the file was opened');
}

describe('a file of the catalog', () => {
  test('is made where there is none, in the current format', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    openDatabase(path).close();
    expect(versionOf(path)).toEqual({ format: MIGRATIONS.length, application: 0x78343032 });
  });

  test('of the first format is brought up to date, and what it lists is refreshed as ever', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path, 3);
    change(path, `${AS_IN_FORMAT_2}; ALTER TABLE listing DROP COLUMN closed_at; PRAGMA user_version = 1`);
    const store = createSqliteStore(openDatabase(path));
    expect(store.list({}, 0, 1).total).toBe(3);
    const settlement = settlementOf({
      name: 'n0',
      description: 'new words',
      ledgerClose: { ledger: 7, seconds: 35 },
    });
    expect(store.put([settlement])).toEqual(['refreshed']);
    expect(store.list({}, 0, 1).items[0]).toContain('new words');
    store.close();
  });

  test('of the second format knows a tool of a long name after it is brought up to date', () => {
    const path = join(temporaryFolder(), 'catalog.db');
    const toolName = 'long'.repeat(1_000);
    const settlement = settlementOf({ name: 'tools', toolName });
    const before = createSqliteStore(openDatabase(path));
    before.put([settlement]);
    before.close();
    change(path, `UPDATE listing SET tool_name = '${toolName}'; ${AS_IN_FORMAT_2}`);
    const store = createSqliteStore(openDatabase(path));
    expect(store.put([settlement])).toEqual(['refreshed']);
    store.close();
  });

  test('of the second format names its listings as they are named now, the oldest first where several are one', () => {
    const path = join(temporaryFolder(), 'catalog.db');
    catalogFile(path, 6);
    const rename = (id: number, url: string): string =>
      `UPDATE listing SET resource = '${url}', item = json_set(item, '$.resource', '${url}') WHERE id = ${id}; `;
    const host = 'https://api.example.com';
    change(
      path,
      rename(1, `${host}/%77eather`) +
        rename(2, `${host}/we%61ther`) +
        rename(3, `${host}/%73now`) +
        rename(4, `${host}/snow`) +
        rename(5, `${host}/%2d`) +
        rename(6, 'no URL at all') +
        "UPDATE listing SET item = 'damaged' WHERE id = 5; " +
        AS_IN_FORMAT_2,
    );
    const db = openDatabase(path);
    const keys = db.prepare('SELECT resource FROM listing ORDER BY id').all();
    expect(keys.map(({ resource }) => resource)).toEqual([
      `${host}/weather`,
      `${host}/we%61ther`,
      `${host}/%73now`,
      `${host}/snow`,
      `${host}/-`,
      'no URL at all',
    ]);
    const items = createSqliteStore(db)
      .list({}, 0, 9)
      .items.map((item) => JSON.parse(item) as { resource: string });
    expect(items.map(({ resource }) => resource)).toEqual([
      `${host}/weather`,
      `${host}/we%61ther`,
      `${host}/%73now`,
      `${host}/snow`,
      'no URL at all',
    ]);
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    db.close();
  });

  test('of the seventh format is given what its listings are filtered by, step by step', () => {
    const path = join(temporaryFolder(), 'catalog.db');
    catalogFile(path, 7);
    const before = openDatabase(path);
    const expected = indexContent(before);
    before.close();
    change(path, AS_IN_FORMAT_7);
    const db = openDatabase(path);
    const store = createSqliteStore(db);
    store.traitsFill.step(3);
    // The first and the last are paid for meanwhile: one has been given it already.
    const refreshes = [0, 6].map((at) => settlementOf({ name: `n${at}`, description: `word${at}` }));
    expect(store.put(refreshes)).toEqual(['refreshed', 'refreshed']);
    expect(store.traitsFill.isUnderWay()).toBe(true);
    store.traitsFill.step(3);
    store.traitsFill.step(3);
    expect(store.traitsFill.isUnderWay()).toBe(false);
    expect(indexContent(db)).toEqual(expected);
    store.close();
  });

  test('of the seventh format answers all but the filters that it cannot know yet, and soon these', async () => {
    const path = join(temporaryFolder(), 'catalog.db');
    catalogFile(path, 3);
    change(path, AS_IN_FORMAT_7);
    const store = createSqliteStore(openDatabase(path));
    const { list, search } = createOperations(store);
    for (const filters of [{ asset: TERMS.asset }, { updatedSince: FIRST_SETTLED_AT.toISOString() }]) {
      expect(list({ filters })).toMatchObject({ code: 'svc_overloaded' });
      expect(search({ query: 'word1', filters })).toMatchObject({ code: 'svc_overloaded' });
    }
    expect(list({ filters: { type: 'http', resource: urlOf('n1') } })).toHaveProperty('json');
    store.close();
    const catalog = await openCatalog({ dbPath: path, log: silent });
    const total = async () => {
      const page = await catalog.list({ filters: { asset: TERMS.asset } });
      return 'code' in page ? page.code : (await readPage<DiscoveryListResponse>(page)).pagination.total;
    };
    await expect.poll(total, { timeout: 20_000 }).toBe(3);
    await catalog.close();
  });

  test('of the tenth format is told which proofs its listings show', () => {
    const path = join(temporaryFolder(), 'catalog.db');
    const count = BLOCK_SIZE + 2;
    catalogFile(path, count);
    const db = openDatabase(path);
    const store = createSqliteStore(db);
    for (const [id, until] of [
      [2, '2100-01-01T00:00:00Z'],
      [count, '2100-01-02T00:00:00Z'],
    ] as const)
      store.proofs.record({
        id,
        owner: TERMS.payTo,
        verified: { by: 'live-402', at: '2026-01-01T00:00:00Z', until },
      });
    const expected = indexContent(db);
    store.close();
    change(path, AS_IN_FORMAT_10);
    const again = openDatabase(path);
    expect(indexContent(again)).toEqual(expected);
    expect(createSqliteStore(again).list({ verified: true }, 0, 9).total).toBe(2);
    again.close();
  });

  test('is made of an empty file', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    writeFileSync(path, '');
    expect(totalOf(path)).toBe(0);
    expect(versionOf(path).format).toBe(MIGRATIONS.length);
  });

  test('opens again as it was', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path, 3);
    const version = versionOf(path);
    expect(totalOf(path)).toBe(3);
    expect(totalOf(path)).toBe(3);
    expect(versionOf(path)).toEqual(version);
  });

  test('keeps the key of its cursors, which no other has', () => {
    const folder = temporaryFolder();
    const keyOf = (name: string): string => {
      const store = createSqliteStore(openDatabase(join(folder, name)));
      store.close();
      return Buffer.from(store.cursorKey).toString('hex');
    };
    expect(keyOf('one.db')).toBe(keyOf('one.db'));
    expect(keyOf('one.db')).not.toBe(keyOf('another.db'));
  });

  test('has every commit in a log beside the file, which reaches the disk now and then', () => {
    const folder = temporaryFolder();
    using db = openDatabase(join(folder, 'catalog.db'));
    expect([pragma(db, 'journal_mode'), pragma(db, 'synchronous')]).toEqual(['wal', 1]);
  });

  test('waits 100 ms for another process while it serves', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    for (const open of [openDatabase, openReadOnly]) {
      using db = open(path);
      expect(pragma(db, 'busy_timeout')).toBe(100);
    }
  });

  test('opened to read cannot be written', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path);
    const store = createSqliteStore(openReadOnly(path));
    expect(store.list({}, 0, 1).total).toBe(1);
    expect(() => store.put([settlementOf({ name: 'more' })])).toThrow();
    store.close();
  });

  test('in memory is a catalog of its own for each that opens it', () => {
    const [one, another] = [openDatabase(IN_MEMORY), openDatabase(IN_MEMORY)].map((db) =>
      createSqliteStore(db),
    );
    one!.put([settlementOf({ name: 'a' })]);
    expect(another!.list({}, 0, 1).total).toBe(0);
    one!.close();
    another!.close();
  });
});

describe('a backup in the place of the file', () => {
  /** Of the second page for `word` with one listing a page. */
  function cursorOf(path: string): string {
    const store = createSqliteStore(openDatabase(path));
    const operations = createOperations(store);
    const first = operations.search({ query: 'word', filters: {}, limit: 1 });
    const { pagination } = readParts<DiscoverySearchResponse>(operations, first);
    store.close();
    return pagination.cursor!;
  }

  test('takes the cursors that were issued before it was made, and refuses those issued since', () => {
    const folder = temporaryFolder();
    const [path, backup] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    const listings = (from: number, to: number): Settlement[] =>
      Array.from({ length: to - from }, (_, at) =>
        settlementOf({ name: `n${from + at}`, description: 'word' }),
      );
    const add = (settlements: Settlement[]): void => {
      const store = createSqliteStore(openDatabase(path));
      store.put(settlements);
      store.close();
    };
    add(listings(0, 100));
    const before = cursorOf(path);
    copyFileSync(path, backup);
    add(listings(100, BLOCK_SIZE + 100));
    const since = cursorOf(path);
    copyFileSync(backup, path);
    const store = createSqliteStore(openDatabase(path));
    const { search } = createOperations(store);
    expect(search({ query: 'word', filters: {}, cursor: before })).toHaveProperty('json');
    expect(search({ query: 'word', filters: {}, cursor: since })).toMatchObject({
      code: 'svc_invalid_search_cursor',
    });
    store.close();
  });
});

describe('a file is refused', () => {
  test('that a newer version wrote, and stays as it is', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path);
    change(path, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    expect(refusalOf(path)).toBe(
      `was written by a newer version of this service (format ${MIGRATIONS.length + 1}, this one knows ${MIGRATIONS.length}): start that version, or name another file`,
    );
    expect(versionOf(path).format).toBe(MIGRATIONS.length + 1);
  });

  test('that another program wrote, and stays as it is', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    change(path, 'CREATE TABLE bookmarks (url TEXT)');
    const before = readFileSync(path);
    expect(refusalOf(path)).toMatch(/^is a database of another program/);
    expect(readFileSync(path)).toEqual(before);
  });

  test('that another program wrote and marked as its own', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    change(path, 'PRAGMA application_id = 1; PRAGMA user_version = 1; CREATE TABLE bookmarks (url TEXT)');
    expect(refusalOf(path)).toMatch(/^is a database of another program/);
  });

  test.each([
    ['a text', 'Not a database, but long enough to be taken for one.\n'.repeat(100)],
    ['a short text', 'short'],
    ['zeros', '\0'.repeat(8_192)],
  ])('that is %s, and stays as it is', (_, content) => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    writeFileSync(path, content);
    expect(refusalOf(path)).toMatch(/^is not a SQLite database|^is damaged/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('that was cut off', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path, 200);
    const { length } = readFileSync(path);
    for (const size of [100, 4_096, length >> 1, length - 4_096]) {
      const cut = join(folder, `${size}.db`);
      writeFileSync(cut, readFileSync(path));
      truncateSync(cut, size);
      expect(refusalOf(cut), `${size} of ${length}`).toMatch(/^is damaged|^is not a SQLite database/);
    }
  });

  test('in which pages were overwritten', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    catalogFile(path, 200);
    const good = readFileSync(path);
    for (let page = 0; page < good.length; page += 4_096) {
      writeFileSync(path, Buffer.from(good).fill(0x5a, page, page + 4_096));
      expect(refusalOf(path), `page ${page / 4_096}`).toMatch(/^is damaged|^is not a SQLite database/);
    }
  });

  test.each([
    'state',
    'listing',
    'earlier_wording',
    'word',
    'posting',
    'length',
    'facet',
    'member',
    'replica',
  ])('that lacks the table %s', (table) => {
    const path = join(temporaryFolder(), 'catalog.db');
    catalogFile(path);
    change(path, `DROP TABLE ${table}`);
    expect(refusalOf(path)).toMatch(/^is damaged: put a backup in its place/);
  });

  test('that lacks what a ranking depends on', () => {
    const path = join(temporaryFolder(), 'catalog.db');
    catalogFile(path);
    change(path, 'DELETE FROM state');
    expect(refusalOf(path)).toMatch(/^is damaged: put a backup in its place/);
  });

  test('that is a folder', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    mkdirSync(path);
    expect(refusalOf(path)).toMatch(/^cannot be opened: name a file/);
  });

  test('in a folder that is none', () => {
    const folder = temporaryFolder();
    expect(refusalOf(join(folder, 'missing', 'catalog.db'))).toMatch(/^cannot be opened: name a file/);
    writeFileSync(join(folder, 'file'), '');
    expect(refusalOf(join(folder, 'file', 'catalog.db'))).toMatch(/^cannot be opened: name a file/);
  });
});

/** A process that opens a file when told to; the answer is `ok`, or the error. */
async function opener(path: string, name: string, user?: { uid: number; gid: number }) {
  const script = fileURLToPath(new URL('../children/opener.ts', import.meta.url));
  const child = spawn(process.execPath, [script, path, name], {
    ...user,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return async (): Promise<string> => {
    const exit = once(child, 'exit');
    child.stdin.write('go\n');
    const { value } = await lines.next();
    await exit;
    return value as string;
  };
}

// The refusal of a locked file takes its time, in which the others run.
describe.concurrent('another process', () => {
  test('that keeps the file locked is named as the reason', async ({ onTestFinished }) => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, 'catalog.db');
    catalogFile(path);
    using other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const open = await opener(path, 'a');
    expect(await open()).toMatch(/^UnusableFile: is locked by another process/);
    other.exec('ROLLBACK');
    expect(totalOf(path)).toBe(1);
  });

  test('may make the file at the same time: all open it and write to it', async ({ onTestFinished }) => {
    for (let round = 0; round < 3; round++) {
      const folder = temporaryFolder(onTestFinished);
      const path = join(folder, 'catalog.db');
      const names = ['a', 'b', 'c'];
      const openers = await Promise.all(names.map((name) => opener(path, name)));
      expect(await Promise.all(openers.map((open) => open()))).toEqual(names.map(() => 'ok'));
      expect(totalOf(path)).toBe(names.length);
    }
  });
});

describe.concurrent('without the right to write,', () => {
  // For root no permission counts: it asks as another user.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

  test('a file is refused', async ({ onTestFinished }) => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, 'catalog.db');
    catalogFile(path);
    chmodSync(path, 0o444);
    chmodSync(folder, 0o777);
    const open = await opener(path, 'a', user);
    expect(await open()).toMatch(
      /^UnusableFile: cannot be written: name a file in a folder that this user may write to/,
    );
  });

  test('a folder is refused', async ({ onTestFinished }) => {
    const folder = temporaryFolder(onTestFinished);
    chmodSync(folder, 0o555);
    const open = await opener(join(folder, 'catalog.db'), 'a', user);
    expect(await open()).toMatch(/^UnusableFile: cannot be opened: name a file in a folder/);
    chmodSync(folder, 0o755);
  });

  test('a file in a folder that takes no log beside it is refused', async ({ onTestFinished }) => {
    const folder = temporaryFolder(onTestFinished);
    const path = join(folder, 'catalog.db');
    catalogFile(path);
    chmodSync(path, 0o666);
    chmodSync(folder, 0o555);
    const open = await opener(path, 'a', user);
    expect(await open()).toMatch(/^UnusableFile: cannot be (opened|written)/);
    chmodSync(folder, 0o755);
  });
});
