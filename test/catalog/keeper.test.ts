import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog, type Catalog, type KeptRequest } from '../../src/catalog/index.ts';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { IN_MEMORY } from '../../src/store/sqliteFile.ts';
import { encodeMuxedContract } from '../../src/stellar/muxedContractText.ts';
import { silent } from '../support/service.ts';
import { readPage } from './pages.ts';
import { accountOf, BY_ADA, contractOf, HOME, muxed, sold, type Sold } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const ALICE = accountOf('alice');
const BOB = accountOf('bob');
const OTHER = 'https://other.example.com:8443';

const REFUSED = { status: 'rejected', code: 'bazaar_listing_blocked' };

const lastPart = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
const keysOf = (items: readonly { resource: string }[]): string[] =>
  items.map(({ resource }) => lastPart(resource));

describe.each([
  ['in memory', () => IN_MEMORY],
  ['in a file', () => join(temporaryFolder(), 'catalog.db')],
])('the keeper of a catalog %s', (_, pathOf) => {
  async function open(dbPath = pathOf()) {
    const catalog = await openCatalog({ dbPath, log: silent, limits: { submitBudgetMs: 20_000 } });
    onTestFinished(() => catalog.close());
    const { keeper } = catalog;
    const pay = (key: string, terms: Partial<Sold> = {}) =>
      catalog.submit(sold(key, { payTo: ALICE, ...terms }));
    const kept = async (request: KeptRequest = {}): Promise<string[]> => {
      const page = await keeper.list(request);
      if ('code' in page) throw new Error(page.code);
      return keysOf(page.listings);
    };
    const idOf = async (key: string): Promise<number> => {
      const page = await keeper.list({ text: `/${key}`, limit: 100 });
      if ('code' in page) throw new Error(page.code);
      return page.listings.find(({ resource }) => lastPart(resource) === key)!.id;
    };
    return { catalog, keeper, pay, kept, idOf };
  }

  async function opened(...keys: string[]) {
    const one = await open();
    for (const key of keys) await one.pay(key);
    return one;
  }

  const listed = async ({ list }: Catalog, filters = {}) => {
    const page = await readPage<DiscoveryListResponse>(await list({ filters, limit: 100 }));
    expect(page.pagination.total).toBe(page.items.length);
    return keysOf(page.items);
  };
  const searched = async ({ search }: Catalog, cursor?: string) =>
    readPage<DiscoverySearchResponse>(
      await search({ query: 'sun', filters: {}, limit: 2, ...(cursor && { cursor }) }),
    );
  const found = async (catalog: Catalog): Promise<string[]> => {
    const keys: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await searched(catalog, cursor ?? undefined);
      keys.push(...keysOf(page.resources));
      ({ cursor } = page.pagination);
    } while (cursor !== null);
    return keys;
  };
  /** What lists of all kinds, and searches, show. */
  async function shown(catalog: Catalog): Promise<string[]> {
    const keys = await listed(catalog);
    expect((await listed(catalog, { type: 'http' })).sort()).toEqual([...keys].sort());
    expect((await found(catalog)).sort()).toEqual([...keys].sort());
    return keys;
  }

  test('hides a listing from lists, totals and searches at once, and shows it again', async () => {
    const { catalog, keeper, idOf } = await opened('a', 'b', 'c');
    const id = await idOf('b');
    expect(await keeper.hide(id, BY_ADA)).toBeUndefined();
    expect(await shown(catalog)).toEqual(['a', 'c']);
    expect(await keeper.unhide(id, BY_ADA)).toBeUndefined();
    expect(await shown(catalog)).toEqual(['a', 'b', 'c']);
  });

  test('keeps a listing hidden that is paid for again, tells its seller, and later shows what it said last', async () => {
    const { catalog, keeper, pay, idOf } = await opened('a', 'b');
    const id = await idOf('a');
    await keeper.hide(id, BY_ADA);
    const told = await pay('a', { description: 'sun moon' });
    expect(told).toMatchObject(REFUSED);
    expect(JSON.stringify(told)).not.toContain(BY_ADA.reason);
    expect(await shown(catalog)).toEqual(['b']);
    await keeper.unhide(id, BY_ADA);
    const moon = await readPage<DiscoverySearchResponse>(
      await catalog.search({ query: 'moon', filters: {} }),
    );
    expect(keysOf(moon.resources)).toEqual(['a']);
  });

  test('removes all that a listing says, and lets a later payment list it anew, for whoever is paid', async () => {
    const { catalog, keeper, pay, idOf } = await opened('a', 'b', 'c');
    const id = await idOf('b');
    expect(await keeper.remove(id, BY_ADA)).toBeUndefined();
    expect(await shown(catalog)).toEqual(['a', 'c']);
    expect(await keeper.show(id)).toMatchObject({ code: 'keeper_unknown_listing' });
    expect(await pay('b', { payTo: BOB })).toEqual({ status: 'success' });
    expect(await shown(catalog)).toEqual(['a', 'c', 'b']);
    expect(await listed(catalog, { payTo: BOB })).toEqual(['b']);
    expect(await listed(catalog, { payTo: ALICE })).toEqual(['a', 'c']);
  });

  test('blocks an origin: its listings vanish, new ones are refused, and no payment brings one back', async () => {
    const { catalog, keeper, pay } = await opened('a');
    for (const key of ['b', 'c']) await pay(key, { origin: OTHER, payTo: BOB });
    await pay('d', { origin: 'https://other.example.com' });
    const target = { kind: 'origin', value: `${OTHER}/` } as const;
    expect(await keeper.block(target, BY_ADA)).toEqual({
      target: { kind: 'origin', value: OTHER },
      listings: 2,
    });
    expect(await shown(catalog)).toEqual(['a', 'd']);
    expect(await pay('b', { origin: OTHER, payTo: BOB })).toMatchObject(REFUSED);
    expect(await pay('new', { origin: OTHER })).toMatchObject(REFUSED);
    expect(await pay('e', { payTo: BOB })).toEqual({ status: 'success' });
    expect(await shown(catalog)).toEqual(['a', 'd', 'e']);
    await keeper.unblock(target, BY_ADA);
    expect(await shown(catalog)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await pay('new', { origin: OTHER })).toEqual({ status: 'success' });
  });

  test.each([
    ['an account', ALICE, [ALICE, muxed(ALICE, 0n), muxed(ALICE, 2n ** 64n - 1n)]],
    ['a muxed address', muxed(ALICE, 7n), [ALICE, muxed(ALICE, 0n), muxed(ALICE, 8n)]],
    [
      'a contract',
      contractOf('alice'),
      [contractOf('alice'), encodeMuxedContract({ contract: contractOf('alice'), id: 5n })],
    ],
  ])('blocks %s as a recipient, in all its muxed forms', async (_what, value, payees) => {
    const { catalog, keeper, pay } = await open();
    for (const [nth, payTo] of payees.entries()) await pay(`a${nth}`, { payTo });
    await pay('b', { payTo: BOB });
    expect(await keeper.block({ kind: 'recipient', value }, BY_ADA)).toMatchObject({
      listings: payees.length,
    });
    expect(await shown(catalog)).toEqual(['b']);
    for (const payTo of payees) expect(await pay('new', { payTo })).toMatchObject(REFUSED);
    await keeper.unblock({ kind: 'recipient', value: payees[0]! }, BY_ADA);
    expect(await shown(catalog)).toEqual([...payees.map((_payTo, nth) => `a${nth}`), 'b']);
  });

  test('blocks and unblocks in turn: nothing stays hidden that no block covers', async () => {
    const { catalog, keeper } = await opened('a', 'b');
    const target = { kind: 'origin', value: HOME } as const;
    await keeper.block(target, BY_ADA);
    await Promise.all([keeper.block(target, BY_ADA), keeper.unblock(target, BY_ADA)]);
    expect(await keeper.blocks()).toEqual([]);
    expect(await listed(catalog)).toEqual(['a', 'b']);
    await Promise.all([
      keeper.block(target, BY_ADA),
      keeper.unblock(target, BY_ADA),
      keeper.block(target, BY_ADA),
    ]);
    expect(await keeper.blocks()).toHaveLength(1);
    expect(await listed(catalog)).toEqual([]);
  });

  test('keeps hidden what something else hides when a block ends', async () => {
    const { catalog, keeper, pay, idOf } = await opened('a', 'b');
    await pay('c', { payTo: BOB });
    const [origin, recipient] = [
      { kind: 'origin', value: HOME },
      { kind: 'recipient', value: BOB },
    ] as const;
    await keeper.block(origin, BY_ADA);
    await keeper.block(recipient, BY_ADA);
    await keeper.hide(await idOf('a'), BY_ADA);
    await keeper.unblock(origin, BY_ADA);
    expect(await shown(catalog)).toEqual(['b']);
    await keeper.unhide(await idOf('a'), BY_ADA);
    await keeper.block(origin, BY_ADA);
    await keeper.unblock(recipient, BY_ADA);
    expect(await shown(catalog)).toEqual([]);
  });

  test('records acts: who did what, when, from where and why, latest first', async () => {
    const { keeper, idOf } = await opened('a');
    const id = await idOf('a');
    const before = Date.now();
    await keeper.hide(id, BY_ADA);
    await keeper.unhide(id, { reason: ' a mistake ', source: 'terminal', actor: 'bob' });
    await keeper.block({ kind: 'recipient', value: ALICE }, BY_ADA);
    const acts = await keeper.acts({});
    expect(acts).toMatchObject([
      { action: 'block', subject: ALICE, listing: undefined, ...BY_ADA },
      {
        action: 'unhide',
        subject: `${HOME}/a`,
        listing: id,
        reason: 'a mistake',
        source: 'terminal',
        actor: 'bob',
      },
      { action: 'hide', listing: id },
    ]);
    for (const { at } of acts) expect(at.getTime()).toBeGreaterThanOrEqual(before);
    expect(await keeper.acts({ before: acts[0]!.id, limit: 1 })).toEqual([acts[1]]);
    expect(await keeper.show(id)).toMatchObject({
      listing: { id, isHidden: false, blockedBy: [{ kind: 'recipient', value: ALICE }] },
      item: { resource: `${HOME}/a`, accepts: [{ payTo: ALICE }] },
      acts: [{ action: 'block' }, { action: 'unhide' }, { action: 'hide' }],
    });
    expect(await keeper.blocks()).toMatchObject([{ kind: 'recipient', value: ALICE }]);
  });

  test('lists what was paid for, hidden or not, by recipient, origin, state and text', async () => {
    const { keeper, pay, kept, idOf } = await opened('a', 'b');
    await pay('c', { origin: OTHER, payTo: muxed(BOB, 1n) });
    await pay('tea', { payTo: BOB });
    await keeper.hide(await idOf('b'), BY_ADA);
    await keeper.block({ kind: 'origin', value: OTHER }, BY_ADA);
    expect(await kept()).toEqual(['a', 'b', 'c', 'tea']);
    expect(await kept({ payTo: BOB })).toEqual(['c', 'tea']);
    expect(await kept({ origin: `${HOME}/` })).toEqual(['a', 'b', 'tea']);
    expect(await kept({ isHidden: true })).toEqual(['b', 'c']);
    expect(await kept({ isHidden: false })).toEqual(['a', 'tea']);
    expect(await kept({ text: 'EXAMPLE.com/TE' })).toEqual(['tea']);
    expect(await kept({ payTo: BOB, isHidden: false, text: 't' })).toEqual(['tea']);
  });

  test('pages through its list without leaving anything out', async () => {
    const { keeper } = await opened('a', 'b', 'c', 'd', 'e');
    const keys: string[] = [];
    let after: number | undefined;
    do {
      const page = await keeper.list({ after, limit: 2 });
      if ('code' in page) throw new Error(page.code);
      expect(page.listings.length).toBeLessThanOrEqual(2);
      keys.push(...keysOf(page.listings));
      after = page.next;
    } while (after !== undefined);
    expect(keys).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('refuses what makes no sense, and records nothing of it', async () => {
    const { keeper, idOf } = await opened('a');
    const id = await idOf('a');
    const origin = { kind: 'origin', value: HOME } as const;
    const codes = [
      await keeper.hide(id + 1, BY_ADA),
      await keeper.unhide(id, BY_ADA),
      await keeper.hide(id, { ...BY_ADA, reason: ' ' }),
      await keeper.hide(id, { ...BY_ADA, reason: 'x'.repeat(501) }),
      await keeper.hide(id, { ...BY_ADA, reason: 'a\u001b[31m' }),
      await keeper.hide(id, { ...BY_ADA, actor: 'two\nlines' }),
      await keeper.block({ kind: 'origin', value: `${HOME}/path` }, BY_ADA),
      await keeper.block({ kind: 'origin', value: 'example.com' }, BY_ADA),
      await keeper.block({ kind: 'recipient', value: 'GA' }, BY_ADA),
      await keeper.unblock(origin, BY_ADA),
      await keeper.list({ origin: 'ftp://example.com' }),
    ].map((answer) => (answer as { code: string }).code);
    expect(codes).toEqual([
      'keeper_unknown_listing',
      'keeper_already_done',
      ...Array.from({ length: 4 }, () => 'keeper_invalid_act'),
      ...Array.from({ length: 3 }, () => 'keeper_invalid_target'),
      'keeper_not_blocked',
      'keeper_invalid_target',
    ]);
    expect(await keeper.acts({})).toEqual([]);
  });

  test('hides a listing from a walk under way, which shows every other match once', async () => {
    const { catalog, keeper, pay, idOf } = await opened('a', 'b', 'c', 'd', 'e', 'f');
    await pay('g', { payTo: BOB });
    const first = await searched(catalog);
    await keeper.hide(await idOf('a'), BY_ADA);
    await keeper.hide(await idOf('c'), BY_ADA);
    await keeper.remove(await idOf('e'), BY_ADA);
    await keeper.block({ kind: 'recipient', value: BOB }, BY_ADA);
    const keys = keysOf(first.resources);
    for (let { cursor } = first.pagination; cursor !== null;) {
      const page = await searched(catalog, cursor);
      keys.push(...keysOf(page.resources));
      ({ cursor } = page.pagination);
    }
    expect(keys).toEqual(['a', 'b', 'd', 'f']);
  });
});
