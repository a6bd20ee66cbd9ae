import { describe, expect, test } from 'vitest';
import { accountOf, contractOf, muxed } from '../catalog/sellers.ts';
import {
  asksToPay,
  openOrigin,
  openWorld,
  OWNER_FILE,
  ownerFile,
  STELLAR_TOML,
  stellarToml,
  type Pages,
  type World,
} from './world.ts';

const OWNER = accountOf('owner');
const OTHER = accountOf('other');
const CONTRACT = contractOf('owner');
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

const NOT_NAMED = 'an origin does not name a recipient';
const countOf = ({ said }: World, text: string): number => said.filter((line) => line === text).length;

describe('a listing shows that its origin names its recipient', () => {
  test.each<[string, Pages]>([
    ['well-known', { [OWNER_FILE]: ownerFile(OTHER, OWNER) }],
    ['stellar-toml', { [STELLAR_TOML]: stellarToml(OTHER, OWNER) }],
    ['live-402', { '/weather': asksToPay(OTHER, OWNER) }],
  ])('by %s', async (by, pages) => {
    const [world, origin] = [await openWorld(), await openOrigin(pages)];
    await world.pay(origin, 'weather', OWNER);
    await expect.poll(() => world.verified()).toEqual([by]);
    const [{ verified } = {}] = await world.listings();
    expect(Date.parse(verified!.until) - Date.parse(verified!.at)).toBe(7 * DAY_MS);
  });

  test('for all listings that it has there by one file, and for no others', async () => {
    const world = await openWorld({ limits: { startEveryMs: 300 } });
    const [origin, elsewhere] = [await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) }), await openOrigin()];
    for (const key of ['a', 'b', 'c']) await world.pay(origin, key, OWNER);
    await world.pay(elsewhere, 'd', OWNER);
    await world.pay(origin, 'e', OTHER);
    await expect.poll(() => countOf(world, NOT_NAMED)).toBe(2);
    // A busy machine may look a second time for what was paid after the first look had begun.
    await expect.poll(() => world.verified()).toEqual([...Array(3).fill('well-known'), undefined, undefined]);
  });

  test('for its own URL alone by a 402', async () => {
    const world = await openWorld();
    const origin = await openOrigin({
      '/a': asksToPay(OWNER),
      '/b': asksToPay(OTHER),
      '/c': asksToPay(OWNER),
    });
    for (const key of ['a', 'b', 'c']) await world.pay(origin, key, OWNER);
    await expect.poll(() => world.verified()).toEqual(['live-402', undefined, 'live-402']);
  });

  test('for a contract by a file or a 402, but not by a stellar.toml', async () => {
    const world = await openWorld();
    const origins = [{ [OWNER_FILE]: ownerFile(CONTRACT) }, { '/a': asksToPay(CONTRACT) }];
    for (const pages of origins) await world.pay(await openOrigin(pages), 'a', CONTRACT);
    await expect.poll(() => world.verified()).toEqual(['well-known', 'live-402']);
    await world.pay(await openOrigin({ [STELLAR_TOML]: stellarToml(CONTRACT) }), 'a', CONTRACT);
    await expect.poll(() => countOf(world, NOT_NAMED)).toBe(1);
  });

  test('for the muxed forms of an account, but for no other form of a muxed one', async () => {
    const world = await openWorld();
    const named = await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) });
    await world.pay(named, 'a', muxed(OWNER, 7n));
    await expect.poll(() => world.verified()).toEqual(['well-known']);
    const other = await openOrigin({ [OWNER_FILE]: ownerFile(muxed(OWNER, 7n)) });
    await world.pay(other, 'b', muxed(OWNER, 8n));
    await world.pay(other, 'c', OWNER);
    await expect.poll(() => countOf(world, NOT_NAMED)).toBe(2);
    expect(await world.verified()).toEqual(['well-known', undefined, undefined]);
  });
});

test('a proof is found again after a day, and a listing made later is proven at once', async () => {
  const [world, origin] = [
    await openWorld({ limits: { roundMs: HOUR_MS } }),
    await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) }),
  ];
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => world.verified()).toEqual(['well-known']);
  await world.pay(origin, 'b', OWNER);
  await expect.poll(() => world.verified()).toEqual(['well-known', 'well-known']);
  const before = (await world.listings())[0]!.verified!.at;
  world.pass(DAY_MS + HOUR_MS);
  const dayLater = new Date(Date.parse(before) + DAY_MS).toISOString();
  await expect
    .poll(async () => (await world.listings()).every(({ verified }) => verified!.at > dayLater))
    .toBe(true);
});

test('a proof that is not found again is shown until it ends, and is then taken away', async () => {
  const [world, origin] = [await openWorld(), await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) })];
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => world.verified()).toEqual(['well-known']);
  delete origin.pages[OWNER_FILE];
  world.pass(2 * DAY_MS);
  await expect.poll(() => countOf(world, NOT_NAMED)).toBe(1);
  expect(await world.verified()).toEqual(['well-known']);
  world.pass(6 * DAY_MS);
  await expect.poll(() => world.verified()).toEqual([undefined]);
});

test('an origin that does not name a recipient is asked again after an hour, when it is paid for again', async () => {
  const [world, origin] = [await openWorld(), await openOrigin()];
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => countOf(world, NOT_NAMED)).toBe(1);
  const asked = origin.asked.length;
  origin.pages[OWNER_FILE] = ownerFile(OWNER);
  await world.pay(origin, 'a', OWNER);
  await world.pay(await openOrigin(), 'b', OTHER);
  await expect.poll(() => countOf(world, NOT_NAMED)).toBe(2);
  expect(origin.asked).toHaveLength(asked);
  world.pass(HOUR_MS);
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => world.verified()).toEqual(['well-known', undefined]);
});

test('an origin is asked again after an hour, although the clock was set back meanwhile', async () => {
  const [world, origin] = [await openWorld(), await openOrigin()];
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => countOf(world, NOT_NAMED)).toBe(1);
  origin.pages[OWNER_FILE] = ownerFile(OWNER);
  world.setBack(DAY_MS);
  world.pass(HOUR_MS);
  await world.pay(origin, 'a', OWNER);
  await expect.poll(() => world.verified()).toEqual(['well-known']);
});

describe('nothing waits', () => {
  test('for an origin that does not answer: neither a payment nor the end', async () => {
    const world = await openWorld({ limits: { requestTimeoutMs: 600_000 } });
    const origin = await openOrigin({ [OWNER_FILE]: () => {} });
    await world.pay(origin, 'a', OWNER);
    await expect.poll(() => origin.asked).toEqual([OWNER_FILE]);
    expect(await world.pay(origin, 'b', OWNER)).toBeUndefined();
    await world.close();
  });

  test('for a slow origin of somebody else', async () => {
    const world = await openWorld({ limits: { requestTimeoutMs: 600_000, maxAtOnce: 3 } });
    const slow = await openOrigin({ [OWNER_FILE]: () => {} });
    await world.pay(slow, 'a', OTHER);
    await expect.poll(() => slow.asked).toEqual([OWNER_FILE]);
    await world.pay(await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) }), 'b', OWNER);
    await expect.poll(() => world.verified()).toEqual([undefined, 'well-known']);
  });
});

test('no origin of this machine is asked unless the operator allows it', async () => {
  const world = await openWorld({ reach: 'public' });
  const origin = await openOrigin({ [OWNER_FILE]: ownerFile(OWNER) });
  const port = new URL(origin.url).port;
  await world.pay(origin, 'a', OWNER);
  await world.pay({ ...origin, url: `https://127.0.0.1:${port}` }, 'b', OWNER);
  await world.pay({ ...origin, url: `https://localhost:${port}` }, 'c', OTHER);
  await expect.poll(() => countOf(world, NOT_NAMED)).toBe(2);
  expect(origin.asked).toEqual([]);
  expect(await world.verified()).toEqual([undefined, undefined, undefined]);
});
