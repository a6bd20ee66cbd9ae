import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeeperStore } from '../../src/catalog/keeper/store.ts';
import { keyOfBlock, recipientKey, type BlockTarget } from '../../src/catalog/keeper/target.ts';
import { KEEPER_LIMITS, MAX_PAGE_SIZE } from '../../src/catalog/limits.ts';
import { createLocalKeeper } from '../../src/catalog/keeper/local.ts';
import { BLOCK_SIZE } from '../../src/catalog/sqlite/blocks.ts';
import { baseAddress } from '../../src/stellar/addresses.ts';
import { sample } from '../support/sample.ts';
import { namesOf, nameOf, urlOf, type Draft } from './drafts.ts';
import { openCatalog, walk, type TestCatalog } from './openCatalog.ts';
import { accountOf, BY_ADA, contractOf, muxed } from './sellers.ts';
import { localStores, quickStore, type StoreKind } from './stores.ts';

const SEED = 20261130;
const WORDS = ['sun', 'rain', 'wind', 'fog'];
const PAYEES = [accountOf('a'), muxed(accountOf('a'), 1n), accountOf('b'), contractOf('a')];
const NAMES = [...'abcdefghijkl'];
/** All drafts are of one origin. */
const TARGETS: BlockTarget[] = [
  { kind: 'origin', value: new URL(urlOf('')).origin },
  ...PAYEES.map((value): BlockTarget => ({ kind: 'recipient', value })),
];

const sale = fc
  .record({
    what: fc.constant('sale' as const),
    name: fc.constantFrom(...NAMES),
    payTo: fc.constantFrom(...PAYEES),
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
  })
  .map(({ words, ...others }) => ({ ...others, description: words.join(' ') }));
const step = fc.oneof(
  { weight: 5, arbitrary: sale },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('hide', 'unhide'), nth: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('remove' as const), nth: fc.nat(11) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('block', 'unblock'),
      target: fc.constantFrom(...TARGETS),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface ModelListing {
  readonly id: number;
  readonly name: string;
  readonly payTo: string;
  description: string;
  isHidden: boolean;
}

/** What a catalog with a keeper should do. */
function createModel() {
  let listings: ModelListing[] = [];
  let made = 0;
  const blocks = new Map<string, BlockTarget>();
  const isBlocked = (payTo: string): boolean =>
    [...blocks.values()].some(
      ({ kind, value }) => kind === 'origin' || baseAddress(value) === baseAddress(payTo),
    );
  return {
    at: (nth: number) => listings[nth],
    shown: () => listings.filter(({ isHidden, payTo }) => !isHidden && !isBlocked(payTo)),
    remove: (gone: ModelListing) => void (listings = listings.filter((listing) => listing !== gone)),
    blocks,
    sell({ name, payTo, description }: { name: string; payTo: string; description: string }): string {
      if (isBlocked(payTo)) return 'blocked';
      const known = listings.find((listing) => listing.name === name);
      if (known === undefined) {
        listings.push({ id: (made += 1), name, payTo, description, isHidden: false });
        return 'listed';
      }
      if (known.payTo !== payTo) return 'owned by another';
      known.description = description;
      return known.isHidden ? 'hidden' : 'refreshed';
    },
  };
}

type Model = ReturnType<typeof createModel>;

/** Takes a step in both, which must agree on what becomes of it. */
async function take(told: Step, { put, store }: TestCatalog, model: Model): Promise<void> {
  if (told.what === 'sale') {
    const { name, payTo, description } = told as { name: string; payTo: string; description: string };
    const draft: Draft = { name, description, terms: { payTo } };
    expect(put(draft)).toEqual([model.sell({ name, payTo, description })]);
    return;
  }
  const keeper = keeperOf(store.keeper);
  if ('target' in told) {
    const { target } = told;
    const isKnown = model.blocks.has(keyOfBlock(target));
    const outcome = await (told.what === 'block' ? keeper.block : keeper.unblock)(target, BY_ADA);
    expect('code' in outcome).toBe(told.what === 'unblock' && !isKnown);
    if (told.what === 'block') model.blocks.set(keyOfBlock(target), target);
    else model.blocks.delete(keyOfBlock(target));
    return;
  }
  const listing = model.at((told as { nth: number }).nth);
  if (listing === undefined) return;
  if (told.what === 'remove') {
    expect(await keeper.remove(listing.id, BY_ADA)).toBeUndefined();
    model.remove(listing);
    return;
  }
  const isHidden = told.what === 'hide';
  const refused = await (isHidden ? keeper.hide : keeper.unhide)(listing.id, BY_ADA);
  expect(refused?.code).toBe(listing.isHidden === isHidden ? 'keeper_already_done' : undefined);
  listing.isHidden = isHidden;
}

/** Takes one listing in each step, so that every block is cut into many. */
function keeperOf(store: KeeperStore) {
  const ask = async (method: keyof KeeperStore, argument: unknown) => store[method](argument as never);
  const limits = { listingsPerStep: 1 };
  return createLocalKeeper({ read: ask as never, write: ask as never, limits });
}

function expectSame({ list, found }: TestCatalog, model: Model): void {
  const shown = model.shown();
  for (const payTo of [undefined, ...PAYEES]) {
    const expected = shown.filter((listing) => payTo === undefined || listing.payTo === payTo);
    const { items, pagination } = list({ filters: { payTo }, limit: MAX_PAGE_SIZE });
    expect(namesOf(items)).toEqual(expected.map(({ name }) => name));
    expect(pagination.total).toBe(expected.length);
    const words = items.map(({ description }) => description);
    expect(words).toEqual(expected.map(({ description }) => description));
    for (const word of WORDS) {
      const matches = expected.filter(({ description }) => description.split(' ').includes(word));
      expect(found(word, { filters: { payTo }, limit: MAX_PAGE_SIZE }).sort()).toEqual(
        matches.map(({ name }) => name).sort(),
      );
    }
  }
}

async function expectAsModel(kind: StoreKind, steps: readonly Step[]): Promise<void> {
  using catalog = openCatalog(kind);
  const model = createModel();
  for (const told of steps) await take(told, catalog, model);
  expectSame(catalog, model);
}

describe(`a catalog and its keeper do what a model does, whatever happens (seed ${SEED}),`, () => {
  test.each(localStores.map((kind) => ({ ...kind, runs: kind.lasts ? sample(15, 60) : sample(100, 1_000) })))(
    'kept by $name',
    async ({ runs, ...kind }) => {
      const steps = fc.array(step, { minLength: 5, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(steps, (told) => expectAsModel(kind, told)),
        { seed: SEED, numRuns: runs },
      );
    },
  );

  test('also in a walk: what is shown all the while comes once, and what is not shown does not come', () => {
    const story = fc.record({
      hidden: fc.uniqueArray(fc.nat(11), { maxLength: 8 }),
      removed: fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
      reworded: fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(story, ({ hidden, removed, reworded, limit }) => {
        using catalog = openCatalog(quickStore);
        catalog.put(...NAMES.map((name, nth) => ({ name, description: `sun ${'x '.repeat(nth)}` })));
        const visited = walk(catalog, 'sun', { limits: [limit] }, (page) => {
          if (page !== 1) return;
          const { keeper } = catalog.store;
          for (const nth of hidden) keeper.setHidden({ id: nth + 1, isHidden: true, act: BY_ADA });
          for (const nth of removed) keeper.remove({ id: nth + 1, act: BY_ADA });
          for (const nth of reworded.filter((at) => !removed.includes(at)))
            catalog.put({ name: NAMES[nth]!, description: 'moon' });
        });
        const gone = new Set([...hidden, ...removed].map((nth) => NAMES[nth]));
        const first = NAMES.slice(0, limit);
        expect(visited).toEqual([...first, ...NAMES.slice(limit).filter((name) => !gone.has(name))]);
      }),
      { seed: SEED, numRuns: sample(100, 500) },
    );
  });
});

test('no more blocks and acts are kept than may be: the latest acts stay', async () => {
  using catalog = openCatalog(quickStore, {
    keeperLimits: { ...KEEPER_LIMITS, maxBlocks: 2, maxActs: 3 },
  });
  const keeper = keeperOf(catalog.store.keeper);
  const [one, two, , , three] = TARGETS as [BlockTarget, BlockTarget, BlockTarget, BlockTarget, BlockTarget];
  await keeper.block(one, BY_ADA);
  await keeper.block(two, BY_ADA);
  expect(await keeper.block(three, BY_ADA)).toMatchObject({ code: 'keeper_too_many_blocks' });
  await keeper.unblock(one, BY_ADA);
  expect(await keeper.block(three, BY_ADA)).toMatchObject({ target: three });
  expect((await keeper.acts({})).map(({ id, action }) => [id, action])).toEqual([
    [4, 'block'],
    [3, 'unblock'],
    [2, 'block'],
  ]);
});

test('pages and totals are right where hidden listings are in several blocks', () => {
  using catalog = openCatalog(quickStore);
  const names = Array.from({ length: BLOCK_SIZE + 600 }, (_, nth) => `n${nth + 1}`);
  catalog.put(
    ...names.map((name, nth) => ({ name, terms: { payTo: PAYEES[nth % 2]!, network: `n${nth % 600}` } })),
  );
  const isHidden = (id: number): boolean => id % 3 === 0 || (id > BLOCK_SIZE - 200 && id < BLOCK_SIZE + 100);
  const { keeper } = catalog.store;
  for (const [nth] of names.entries())
    if (isHidden(nth + 1)) keeper.setHidden({ id: nth + 1, isHidden: true, act: BY_ADA });
  const shown = names.filter((_, nth) => !isHidden(nth + 1));
  const of = (payTo: string) => shown.filter((name) => PAYEES[(Number(name.slice(1)) - 1) % 2] === payTo);
  const rare = shown.filter((name) => (Number(name.slice(1)) - 1) % 600 === 7);
  for (const [filters, expected] of [
    [{}, shown],
    [{ payTo: PAYEES[1]! }, of(PAYEES[1]!)],
    [{ network: 'n7' }, rare],
  ] as const) {
    for (const offset of [0, 1, 77, 5_000, 5_400, expected.length - 1, expected.length]) {
      const { items, pagination } = catalog.list({ filters, offset, limit: 100 });
      expect(pagination.total).toBe(expected.length);
      expect(items.map(({ resource }) => nameOf(resource))).toEqual(expected.slice(offset, offset + 100));
    }
  }
}, 60_000);

test('addresses have a key in common exactly if they stand for one account or contract', () => {
  const seller = fc.tuple(
    fc.constantFrom('a', 'b', 'c'),
    fc.option(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  );
  const address = fc.oneof(
    seller.map(([name, id]) => (id === null ? accountOf(name) : muxed(accountOf(name), id))),
    seller.map(([name]) => contractOf(name)),
  );
  fc.assert(
    fc.property(address, address, (one, other) => {
      expect(recipientKey(one) === recipientKey(other)).toBe(baseAddress(one) === baseAddress(other));
    }),
    { seed: SEED },
  );
});
