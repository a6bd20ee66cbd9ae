import { describe, expect, test } from 'vitest';
import type { DiscoveryListResponse, DiscoverySearchResponse } from '../../src/contract/index.ts';
import { readPage } from '../catalog/pages.ts';
import { accountOf, BY_ADA, contractOf, muxed, sold } from '../catalog/sellers.ts';
import {
  asksToPay,
  file,
  openOrigin,
  openWorld,
  OWNER_FILE,
  ownerFile,
  STELLAR_TOML,
  stellarToml,
  type Origin,
  type Pages,
  type World,
} from './world.ts';

const OWNER = accountOf('owner');
const HIJACKER = accountOf('hijacker');
const HOUR_MS = 3600 * 1000;
const REFUSED = 'bazaar_listing_owned_by_other_payee';

/** A listing that somebody else than `payTo` was paid for first, who is then paid for it, too. */
async function contested(pages: Pages, { payTo = OWNER, by = HIJACKER } = {}): Promise<[World, Origin]> {
  const [world, origin] = [await openWorld(), await openOrigin(pages)];
  await world.pay(origin, 'weather', by);
  expect(await world.pay(origin, 'weather', payTo)).toBe(REFUSED);
  return [world, origin];
}

const ownersOf = async (world: World) =>
  (await world.listings()).map(({ accepts }) => accepts.map(({ payTo }) => payTo));

/** Resolves when so many recipients have been looked for: both, by default. */
const looked = ({ asked }: Origin, recipients = 2) =>
  expect.poll(() => asked.filter((path) => path === OWNER_FILE)).toHaveLength(recipients);

/** Pays at another origin until that was looked at, so that what was looked at before has had its consequences. */
async function settledDown(world: World): Promise<void> {
  const later = await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) });
  await world.pay(later, 'later', OWNER);
  await expect.poll(async () => (await world.verified()).at(-1)).toBe('well-known');
}

describe('a recipient takes over a listing that another one was paid for first', () => {
  test.each<[string, string, Pages]>([
    ['well-known', OWNER, { [OWNER_FILE]: ownerFile(OWNER) }],
    ['stellar-toml', OWNER, { [STELLAR_TOML]: stellarToml(OWNER) }],
    ['live-402', OWNER, { '/weather': asksToPay(OWNER) }],
    ['well-known', contractOf('owner'), { [OWNER_FILE]: ownerFile(contractOf('owner')) }],
    ['live-402', muxed(OWNER, 5n), { '/weather': asksToPay(OWNER) }],
  ])('if the origin names it: %s, %s', async (by, payTo, pages) => {
    const [world] = await contested(pages, { payTo });
    await expect.poll(() => ownersOf(world)).toEqual([[payTo]]);
    const [listing] = await world.listings();
    expect(listing).toMatchObject({ verified: { by }, movedFrom: { payTo: HIJACKER } });
    expect(world.said).toContain('a listing moved to the recipient that its origin names');
  });

  test('and the listing then says and finds what the new owner declared, and nothing of before', async () => {
    const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
    const resource = { url: `${origin.url}/weather`, description: 'cheap pills', serviceName: 'Pills' };
    await world.pay(origin, 'weather', HIJACKER, { resource });
    await world.pay(origin, 'weather', OWNER);
    await expect.poll(() => ownersOf(world)).toEqual([[OWNER]]);
    expect((await world.listings())[0]).not.toHaveProperty('serviceName');
    const found = async (query: string) =>
      (await readPage<DiscoverySearchResponse>(await world.catalog.search({ query, filters: {} }))).resources;
    expect(await found('pills')).toEqual([]);
    expect(await found('sun')).toHaveLength(1);
    const of = async (payTo: string) =>
      (await readPage<DiscoveryListResponse>(await world.catalog.list({ filters: { payTo } }))).items;
    expect(await of(HIJACKER)).toEqual([]);
    expect(await of(OWNER)).toHaveLength(1);
  });

  test('for good: the earlier one is refused, and the listing keeps saying where it came from', async () => {
    const [world, origin] = await contested({ [OWNER_FILE]: ownerFile(OWNER) });
    await expect.poll(() => ownersOf(world)).toEqual([[OWNER]]);
    for (let hours = 0; hours < 3; hours += 1) {
      world.pass(2 * HOUR_MS);
      expect(await world.pay(origin, 'weather', HIJACKER)).toBe(REFUSED);
    }
    expect(await world.pay(origin, 'weather', OWNER)).toBeUndefined();
    await settledDown(world);
    const [listing] = await world.listings();
    expect(listing).toMatchObject({ verified: { by: 'well-known' }, movedFrom: { payTo: HIJACKER } });
    expect((await ownersOf(world))[0]).toEqual([OWNER]);
  });

  test('although the earlier one has signed that it sells there, which ends, and was never a proof', async () => {
    const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
    await world.pay(origin, 'weather', HIJACKER);
    const listing = { resource: `${origin.url}/weather`, type: 'http', toolName: '' } as const;
    const signed = { listing, owner: HIJACKER, signedAtMs: Date.now(), metadata: {} };
    expect(await world.catalog.sellers.describe(signed)).toBe('shown');
    await looked(origin, 1);
    await settledDown(world);
    const [claimed] = await world.listings();
    expect(claimed).toHaveProperty('confirmed');
    expect(claimed).not.toHaveProperty('verified');
    expect(await world.pay(origin, 'weather', OWNER)).toBe(REFUSED);
    await expect.poll(async () => (await ownersOf(world))[0]).toEqual([OWNER]);
    const [moved] = await world.listings();
    expect(moved).toMatchObject({ verified: { by: 'well-known' }, movedFrom: { payTo: HIJACKER } });
    expect(moved).not.toHaveProperty('confirmed');
  });

  test('and is shown, although the operator has blocked the earlier owner', async () => {
    const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
    await world.pay(origin, 'weather', HIJACKER);
    await world.catalog.keeper.block({ kind: 'recipient', value: HIJACKER }, BY_ADA);
    expect(await ownersOf(world)).toEqual([]);
    await world.pay(origin, 'weather', OWNER);
    await expect.poll(() => ownersOf(world)).toEqual([[OWNER]]);
  });
});

describe('nothing changes', () => {
  const NAMES_OWNER = { [OWNER_FILE]: ownerFile(OWNER) };

  test.each<[string, Pages]>([
    ['names both in one file', { [OWNER_FILE]: ownerFile(OWNER, HIJACKER) }],
    ['names the owner in another file', { ...NAMES_OWNER, [STELLAR_TOML]: stellarToml(HIJACKER) }],
    ['names the owner in the 402 of the URL', { ...NAMES_OWNER, '/weather': asksToPay(HIJACKER) }],
    ['names a muxed form of the owner', { [OWNER_FILE]: ownerFile(OWNER, muxed(HIJACKER, 1n)) }],
    ['names nobody', {}],
    ['names others', { [OWNER_FILE]: ownerFile(accountOf('third')) }],
    ['asks for payments to it at another URL', { '/rain': asksToPay(OWNER) }],
    [
      'redirects to one that names it',
      {
        [OWNER_FILE]: (response) => response.writeHead(301, { location: '/x' }).end(),
        '/x': ownerFile(OWNER),
      },
    ],
    ['fails at one place', { ...NAMES_OWNER, [STELLAR_TOML]: file('', 503) }],
    ['cuts the connection at one place', { ...NAMES_OWNER, '/weather': (response) => response.destroy() }],
    ['throttles at one place', { ...NAMES_OWNER, '/weather': file('', 429) }],
  ])('if the origin %s', async (_, pages) => {
    const [world, origin] = await contested(pages);
    await looked(origin);
    await settledDown(world);
    expect((await ownersOf(world))[0]).toEqual([HIJACKER]);
  });

  test('if the origin names the owner, whoever else is paid, and however often', async () => {
    const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
    await world.pay(origin, 'weather', OWNER);
    for (let at = 0; at < 5; at += 1) {
      world.pass(2 * HOUR_MS);
      expect(await world.pay(origin, 'weather', at % 2 ? HIJACKER : muxed(HIJACKER, BigInt(at)))).toBe(
        REFUSED,
      );
    }
    await settledDown(world);
    expect((await ownersOf(world))[0]).toEqual([OWNER]);
  });

  test.each([
    ['with a path that looks like another host', '/${own}/weather'],
    ['of another URL, whose listing a route template names', '/mine'],
  ])('by the 402 of a URL %s', async (_, path) => {
    const own = await openOrigin({ '/weather': asksToPay(HIJACKER) });
    const [world, origin] = [await openWorld(), await openOrigin({ '/mine': asksToPay(HIJACKER) })];
    await world.pay(origin, 'weather', OWNER);
    const url = origin.url + path.replace('${own}', own.url.replace(/^https?:/, '').slice(1));
    const settled = sold('weather', { payTo: HIJACKER });
    const { bazaar } = settled.extensions as { bazaar: object };
    const changes = {
      resource: { url, description: 'weather' },
      extensions: { bazaar: { ...bazaar, routeTemplate: '/weather' } },
    };
    expect(await world.pay(origin, 'weather', HIJACKER, changes)).toBe(REFUSED);
    await settledDown(world);
    expect((await ownersOf(world))[0]).toEqual([OWNER]);
  });

  test('by what another origin says', async () => {
    const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
    const own = await openOrigin({
      [OWNER_FILE]: ownerFile(HIJACKER, OWNER),
      '/weather': asksToPay(HIJACKER),
    });
    await world.pay(origin, 'weather', OWNER);
    await world.pay(own, 'weather', HIJACKER);
    await world.pay(origin, 'weather', HIJACKER);
    await settledDown(world);
    expect(await ownersOf(world)).toEqual([[OWNER], [HIJACKER], [OWNER]]);
  });
});

test('an origin that changes its mind moves a listing to the same recipient once an hour', async () => {
  const [world, origin] = await contested({ [OWNER_FILE]: ownerFile(OWNER) });
  await expect.poll(() => ownersOf(world)).toEqual([[OWNER]]);
  origin.pages[OWNER_FILE] = ownerFile(HIJACKER);
  await world.pay(origin, 'weather', HIJACKER);
  await expect.poll(() => ownersOf(world)).toEqual([[HIJACKER]]);
  origin.pages[OWNER_FILE] = ownerFile(OWNER);
  const asked = origin.asked.length;
  await world.pay(origin, 'weather', OWNER);
  await settledDown(world);
  expect(origin.asked).toHaveLength(asked);
  world.pass(HOUR_MS);
  await world.pay(origin, 'weather', OWNER);
  await expect.poll(async () => (await ownersOf(world))[0]).toEqual([OWNER]);
});

test('no payment waits while an origin is asked who owns a listing', async () => {
  const world = await openWorld({ limits: { requestTimeoutMs: 600_000 } });
  const origin = await openOrigin();
  await world.pay(origin, 'weather', HIJACKER);
  await expect.poll(() => world.said).toContain('an origin does not name a recipient');
  origin.pages[OWNER_FILE] = () => {};
  const asked = origin.asked.length;
  expect(await world.pay(origin, 'weather', OWNER)).toBe(REFUSED);
  await expect.poll(() => origin.asked.length).toBe(asked + 1);
  expect(await world.pay(origin, 'weather', OWNER)).toBe(REFUSED);
  expect(await world.pay(origin, 'weather', HIJACKER)).toBeUndefined();
});
