import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { createLocalKeeper, type LocalKeeper } from '../../src/catalog/keeper/local.ts';
import type { AskKeeper } from '../../src/catalog/keeper/store.ts';
import type { BlockTarget } from '../../src/catalog/keeper/target.ts';
import { openDatabase } from '../../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../../src/catalog/sqlite/store.ts';
import type { Store } from '../../src/catalog/store.ts';
import { readPage } from './pages.ts';
import type { DiscoveryListResponse } from '../../src/contract/index.ts';
import { silent } from '../support/service.ts';
import { settlementOf, TERMS } from './drafts.ts';
import { accountOf, BY_ADA, HOME } from './sellers.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const NAMES = [...'abcdef'];
const TARGET: BlockTarget = { kind: 'origin', value: HOME };
/** Beginning, reading what is covered, three steps of two listings, the end. */
const CALLS = 6;

/** Connections to one file, as two processes have them, and keepers that can be stopped before each call. */
function openFile() {
  const dbPath = join(temporaryFolder(), 'catalog.db');
  const stores: Store[] = [];
  onTestFinished(() => stores.forEach((store) => store.close()));

  function connect(): Store {
    const store = createSqliteStore(openDatabase(dbPath));
    stores.push(store);
    return store;
  }

  function process(beforeCall: (nth: number) => Promise<void> | void = () => {}): LocalKeeper {
    const { keeper } = connect();
    let calls = 0;
    const ask: AskKeeper = async (method, argument) => {
      await beforeCall((calls += 1));
      return keeper[method](argument as never) as never;
    };
    return createLocalKeeper({ read: ask, write: ask, limits: { listingsPerStep: 2 } });
  }

  const first = connect();
  first.put(NAMES.map((name) => settlementOf({ name })));
  const total = (): number => first.list({}, 0, 0).total;
  const close = (): void => stores.splice(0).forEach((store) => store.close());
  return { dbPath, process, total, put: first.put, close };
}

/** Ends like a process that is killed before this call. */
const killedBefore = (call: number) => (nth: number) => {
  if (nth >= call) throw new Error('killed');
};

/** Each call but the first: before that one nothing was done. */
const calls = Array.from({ length: CALLS - 1 }, (_, nth) => nth + 2);

describe.each([
  ['block', 'unblock'],
  ['unblock', 'block'],
] as const)('a %s', (method, opposite) => {
  const shown = method === 'block' ? 0 : NAMES.length;

  async function opened() {
    const file = openFile();
    if (method === 'unblock') await file.process().block(TARGET, BY_ADA);
    return file;
  }

  test.each(calls)('that is killed before its call %i is finished at the next start', async (call) => {
    const { dbPath, process, close } = await opened();
    await expect(process(killedBefore(call))[method](TARGET, BY_ADA)).rejects.toThrow('killed');
    close();
    const catalog = await openCatalog({ dbPath, log: silent });
    onTestFinished(() => catalog.close());
    const total = async (): Promise<number> =>
      (await readPage<DiscoveryListResponse>(await catalog.list({ filters: {} }))).pagination.total;
    await expect.poll(total).toBe(shown);
    expect(await catalog.keeper.blocks()).toHaveLength(method === 'block' ? 1 : 0);
  });

  test('that is killed is finished by a second try', async () => {
    const { process, total } = await opened();
    await expect(process(killedBefore(4))[method](TARGET, BY_ADA)).rejects.toThrow('killed');
    expect(total()).not.toBe(shown);
    expect(await process()[method](TARGET, BY_ADA)).toMatchObject({ listings: NAMES.length });
    expect(total()).toBe(shown);
  });

  test.each(calls)(`gives way to the ${opposite} of another process before its call %i`, async (call) => {
    const { process, total, put } = await opened();
    const other = process();
    const one = process(async (nth) => {
      if (nth === call) await other[opposite](TARGET, BY_ADA);
    });
    await one[method](TARGET, BY_ADA);
    const [latest] = await other.acts({ limit: 1 });
    expect(latest).toMatchObject({ action: opposite });
    expect(total()).toBe(NAMES.length - shown);
    expect(await other.blocks()).toHaveLength(opposite === 'block' ? 1 : 0);
    expect(put([settlementOf({ name: 'new' })])).toEqual([opposite === 'block' ? 'blocked' : 'listed']);
  });

  test.each(calls)(
    `goes on after the ${opposite} of another process was killed before its call %i`,
    async (call) => {
      const { process, total } = await opened();
      const one = process(async (nth) => {
        if (nth === 4)
          await expect(process(killedBefore(call))[opposite](TARGET, BY_ADA)).rejects.toThrow('killed');
      });
      await one[method](TARGET, BY_ADA);
      const next = process();
      await next.finish(await next.unfinishedBlocks());
      expect(total()).toBe(NAMES.length - shown);
    },
  );
});

test('a block of a recipient leaves out a listing that moves to another owner before its step', async () => {
  const { process, total, put } = openFile();
  const payTo = accountOf('other');
  const claim = {
    verified: { by: 'well-known', at: '2026-11-23T12:00:00.000Z', until: '2026-11-30T12:00:00.000Z' },
    named: [payTo],
  } as const;
  const moving = { ...settlementOf({ name: 'f', terms: { payTo } }), claim };
  const one = process((nth) => {
    if (nth === CALLS - 1) expect(put([moving])).toEqual(['refreshed']);
  });
  await one.block({ kind: 'recipient', value: TERMS.payTo }, BY_ADA);
  expect(total()).toBe(1);
  await one.unblock({ kind: 'recipient', value: TERMS.payTo }, BY_ADA);
  expect(total()).toBe(NAMES.length);
});
