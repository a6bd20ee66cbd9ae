import { join } from 'node:path';
import { userInfo } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Catalog, SettledPayment } from '../../src/catalog/index.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { STORES } from '../callers/stores.ts';
import { runInside } from '../support/cli.ts';
import { startChild } from './child.ts';
import { settlementOf } from './drafts.ts';
import { markAll } from './markAll.ts';
import { openOn } from './openOn.ts';
import { readPage } from './pages.ts';
import { accountOf, HOME, muxed, sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const WHY = ['--reason', 'it is spam'];
const USER = userInfo().username;

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

const keysOf = (items: readonly { resource: string }[]): string[] =>
  items.map(({ resource }) => resource.slice(resource.lastIndexOf('/') + 1));

const listed = async ({ list }: Catalog): Promise<string[]> =>
  keysOf((await readPage<DiscoveryListResponse>(await list({ filters: {}, limit: 100 }))).items);

describe.each(STORES)('the command for listings in %s, while the service runs,', (_store, openStore) => {
  async function opened(...keys: string[]) {
    const store = await openStore();
    const catalog = await openOn(store);
    for (const key of keys) await catalog.submit(sold(key, { payTo: ALICE }));
    const run = (...args: string[]) => runInside(['listings', ...args], store.environment);
    const done = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const json = async (...args: string[]): Promise<any> => JSON.parse(await done(...args, '--json'));
    return { store, catalog, run, done, json };
  }

  test('hides a listing, shows it again, and removes it', async () => {
    const { catalog, done } = await opened('a', 'b', 'c');
    expect(await done('hide', '2', ...WHY)).toBe('Listing 2 is hidden.\n');
    await expect.poll(() => listed(catalog)).toEqual(['a', 'c']);
    expect(await done('unhide', '2', ...WHY)).toMatch(/^Listing 2 is shown again/);
    await expect.poll(() => listed(catalog)).toEqual(['a', 'b', 'c']);
    expect(await done('remove', '2', ...WHY)).toMatch(
      /^Listing 2 is removed\. A later payment lists it again/,
    );
    await expect.poll(() => listed(catalog)).toEqual(['a', 'c']);
  });

  test('blocks an origin or a recipient, which sellers are told, and ends that', async () => {
    const { catalog, done, json } = await opened('a');
    await catalog.submit(sold('b', { payTo: BOB, origin: 'https://other.example.com' }));
    expect(await done('block', HOME, ...WHY)).toMatch(
      /^The origin https:\/\/api\.example\.com is blocked: its listings( \(1\))? are hidden, and new ones are refused\.\n$/,
    );
    expect(await done('block', muxed(BOB, 7n), ...WHY)).toMatch(`The recipient ${BOB} is blocked`);
    await expect.poll(() => listed(catalog)).toEqual([]);
    expect(await catalog.submit(sold('new', { payTo: ALICE }))).toMatchObject({
      code: 'bazaar_listing_blocked',
    });
    expect(await json('blocks')).toMatchObject([
      { kind: 'origin', value: HOME, since: expect.stringMatching(TIME) },
      { kind: 'recipient', value: BOB },
    ]);
    expect(await done('blocks')).toMatch(
      /^KIND +SINCE +WHAT\norigin .* https:\/\/api\.example\.com\nrecipient .*\n$/,
    );
    expect(await done('unblock', HOME, ...WHY)).toMatch(/is no longer blocked/);
    await done('unblock', BOB, ...WHY);
    await expect.poll(() => listed(catalog)).toEqual(['a', 'b']);
    expect(await done('blocks')).toBe('Nothing is blocked.\n');
  });

  test('lists by filters and in pages, also as JSON', async () => {
    const { catalog, run, done, json } = await opened('a', 'b', 'c');
    await catalog.submit(sold('d', { payTo: BOB, origin: 'https://other.example.com' }));
    await done('hide', '1', ...WHY);
    await done('block', BOB, ...WHY);
    const found = async (...args: string[]): Promise<string[]> =>
      keysOf((await json('list', ...args)).listings);
    await expect.poll(() => listed(catalog)).toEqual(['b', 'c']);
    expect(await found()).toEqual(['a', 'b', 'c', 'd']);
    expect(await found('--payTo', BOB)).toEqual(['d']);
    expect(await found('--origin', HOME, '--shown')).toEqual(['b', 'c']);
    expect(await found('--hidden')).toEqual(['a', 'd']);
    expect(await found('--text', 'OTHER')).toEqual(['d']);
    expect(await found('--after', '2', '--limit', '1')).toEqual(['c']);
    expect(await run('list', '--limit', '2')).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^ID +STATE .*\n1 +hidden .* https:\/\/api\.example\.com\/a\n2 +shown .*\n$/,
      ),
      stderr: 'More follow: --after 2\n',
    });
    expect(await done('list', '--payTo', BOB)).toMatch(/4 +recipient blocked /);
  });

  test('shows all of a listing and what was done to it, and what was done at all, latest first', async () => {
    const { done, json } = await opened('a', 'b');
    await done('hide', '1', ...WHY);
    await done('block', HOME, '--reason', 'lies');
    const by = { source: 'terminal', actor: USER, at: expect.stringMatching(TIME) };
    const block = { action: 'block', subject: HOME, listing: null, reason: 'lies', ...by };
    const hide = { action: 'hide', subject: `${HOME}/a`, listing: 1, reason: 'it is spam', ...by };
    expect(await json('show', '1')).toMatchObject({
      id: 1,
      isHidden: true,
      item: { resource: `${HOME}/a`, accepts: [{ payTo: ALICE }] },
      acts: [block, hide],
    });
    const text = await done('show', '1');
    expect(text).toMatch(/^Listing 1, paid to G[A-Z2-7]{55}, is hidden(, origin blocked)?\.\n\{\n/);
    expect(text).toMatch(new RegExp(`hide +1 ${HOME}/a +${USER} \\(terminal\\) +it is spam`));
    expect(await json('acts')).toMatchObject([block, hide]);
    expect(await json('acts', '--limit', '1')).toMatchObject([block]);
    expect(await json('acts', '--before', '2')).toMatchObject([hide]);
    expect(await done('acts')).toMatch(/^ID +AT +ACTION +WHAT +BY +REASON\n2 .*\n1 .*\n$/);
  });

  test.each([
    ['no_answer', 'it did not answer'],
    ['no_402', 'it did not ask for a payment of x402 version 2'],
    ['other_terms', 'it asked for other terms than those listed'],
  ] as const)('says that a listing is stale, and why: %s', async (reason, found) => {
    const { store, done, json } = await opened('a');
    expect((await json('list')).listings).toMatchObject([{ stale: null }]);
    const since = '2026-11-23T08:00:00.000Z';
    await markAll(store, { reason, since });
    expect((await json('list')).listings).toMatchObject([{ id: 1, stale: { reason, since } }]);
    expect(await json('show', '1')).toMatchObject({ stale: { reason, since } });
    expect(await done('list')).toMatch(/\n1 +shown, stale .*\n$/);
    expect(await done('show', '1')).toMatch(
      new RegExp(
        `^Listing 1, paid to \\w+, is shown, stale\\.\nIt is stale since ${since}: when it was last checked, ${found} \\(${reason}\\)\\.\n\\{`,
      ),
    );
  });

  test('exits 1 for a listing that there is not, and for what is done already', async () => {
    const { run, done } = await opened('a');
    await done('hide', '1', ...WHY);
    for (const [args, problem] of [
      [['show', '9'], 'There is no listing 9, or it was removed. `listings list` shows the ids.'],
      [['remove', '9', ...WHY], 'There is no listing 9, or it was removed. `listings list` shows the ids.'],
      [['hide', '1', ...WHY], 'You already hide this listing.'],
      [['unblock', HOME, ...WHY], 'This is not blocked.'],
    ] as const)
      expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: `${problem}\n` });
  });

  test('shows no text of a seller that a terminal would obey', async () => {
    const { catalog, done, json } = await opened();
    const evil = 'x\u001b[2J\u009b31m\u202e\u2028\u0007y';
    const input = { type: 'mcp', toolName: evil, inputSchema: { type: 'object' } };
    const told = await catalog.submit({
      ...sold('a', { payTo: ALICE, description: evil }),
      extensions: { bazaar: { info: { input }, schema: {} } },
    });
    expect(told).toEqual({ status: 'success' });
    const texts = [
      await done('list'),
      await done('list', '--json'),
      await done('show', '1'),
      await done('show', '1', '--json'),
    ];
    for (const text of texts) {
      // Control characters, separators of lines, and marks that change the direction.
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(text).toContain('\\u001b');
    }
    expect((await json('list')).listings[0].toolName).toBe(evil);
  });
});

test('a long block and its end hold up no payment', async () => {
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const environment = { DB_PATH: dbPath };
  const store = createSqliteStore(openDatabase(dbPath));
  const terms = { payTo: BOB };
  store.put(Array.from({ length: 9_000 }, (_, nth) => settlementOf({ name: `n${nth}`, terms })));
  store.close();
  const catalog = await openOn({ environment, options: { dbPath } });
  const command = (word: string) => ['dist/stellar-facilitator.js', 'listings', word, BOB, ...WHY];
  // On a busy machine a step may take longer than the service waits for the file. It then asks again.
  const listed = (settled: SettledPayment) =>
    expect.poll(() => catalog.submit(settled)).toEqual({ status: 'success' });
  for (const word of ['block', 'unblock']) {
    const child = startChild(process.execPath, command(word), { env: environment });
    let hasEnded = false;
    void child.ended.then(() => (hasEnded = true));
    let nth = 0;
    do await listed(sold(`${word}${(nth += 1)}`, { payTo: ALICE }));
    while (!hasEnded);
    // On a slow machine it shows its progress.
    const stderr = expect.stringMatching(/^(\d+ of 9000 listings\n)*$/) as string;
    expect(await child.ended).toMatchObject({ code: 0, stderr });
    const page = await readPage<DiscoveryListResponse>(await catalog.list({ filters: { payTo: BOB } }));
    expect(page.pagination.total).toBe(word === 'block' ? 0 : 9_000);
  }
}, 60_000);

describe('what cannot be done', () => {
  test.each([
    [['hide', '1'], '--reason needs a text'],
    [['hide', '1', '--reason', ' '], '--reason needs a text'],
    [['hide', 'a', ...WHY], '<id> must be an id'],
    [['show'], '<id> is missing'],
    [['block', 'example.com', ...WHY], '<origin or recipient> must be an origin such as'],
    [['block', `${ALICE.slice(0, -1)}A`.replace(/A$/, 'B'), ...WHY], '<origin or recipient> must be'],
    [['list', '--hidden', '--shown'], 'give --hidden or --shown, not both'],
    [['list', '--limit', '0'], '--limit must be a whole number'],
    [['forget'], 'there is no command "forget": name list, show, hide'],
  ])('is wrong usage: %j', async (args, problem) => {
    const { code, stdout, stderr } = await runInside(['listings', ...args], {});
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(problem);
  });

  test.each([
    [':memory:', /^DB_PATH is :memory:, which only the service itself can read/],
    ['/none/catalog.db', /^DB_PATH names no file/],
  ])('is done without a catalog: %s', async (DB_PATH, problem) => {
    const { code, stdout, stderr } = await runInside(['listings', 'list'], { DB_PATH });
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toMatch(problem);
  });

  test('is done in a file that another process keeps locked, which is said', async () => {
    const DB_PATH = join(temporaryFolder(), 'catalog.db');
    openDatabase(DB_PATH).close();
    using other = new DatabaseSync(DB_PATH);
    other.exec('BEGIN IMMEDIATE');
    const { code, stderr } = await runInside(['listings', 'list'], { DB_PATH });
    expect([code, stderr]).toEqual([78, expect.stringMatching(/^DB_PATH is locked by another process/)]);
  }, 20_000);
});
