import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog, type Catalog, type SettledPayment } from '../../src/catalog/index.ts';
import { EXTENSIONS_LIMIT_BYTES } from '../../src/catalog/declaration/limits.ts';
import { endless, infoFor } from './declaration/schema/hostile.ts';
import { sample } from '../support/sample.ts';
import { settledPayment } from './settledPayments.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** A catalog in a file, until the test ends. */
async function open(): Promise<Catalog> {
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const catalog = await openCatalog({ dbPath: join(temporaryFolder(), 'catalog.db'), log: silent });
  onTestFinished(() => catalog.close());
  return catalog;
}

const honest = (key: string): SettledPayment => settledPayment({ key, payTo: 'GALICE' });

/** Those that are small enough to be judged at all. */
const blocks = endless
  .map((one) => ({ bazaar: { info: infoFor(one), schema: one.schema } }))
  .filter((extensions) => JSON.stringify(extensions).length <= EXTENSIONS_LIMIT_BYTES);

function hostile(nth: number): SettledPayment {
  const extensions = blocks[nth % blocks.length]!;
  return { ...settledPayment({ key: `hostile${nth}`, payTo: `G${nth}` }), extensions };
}

test.each([24, sample(60, 200)])(
  'an honest seller waits for one of %i hostile schemas at most',
  async (count) => {
    const catalog = await open();
    // However busy the machine is: nobody gives up.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let judged = 0;
    const others = Array.from({ length: count }, async (_, nth) => {
      expect(await catalog.submit(hostile(nth))).toMatchObject({ status: 'rejected' });
      judged += 1;
    });
    for (let nth = 0; nth < 3; nth += 1) {
      const before = judged;
      expect(await catalog.submit(honest(`honest${nth}`))).toEqual({ status: 'success' });
      expect(judged - before).toBeLessThanOrEqual(1);
    }
    expect(judged).toBeLessThan(count);
    await Promise.all(others);
  },
);

test('hostile schemas that are submitted again and again are all judged in the end', async () => {
  const catalog = await open();
  let due = Array.from({ length: sample(30, 60) }, (_, nth) => nth);
  for (let round = 0; due.length > 0 && round < 20; round += 1) {
    const left: number[] = [];
    // One after the other, as listings that are due are submitted.
    for (const nth of due) if ((await catalog.submit(hostile(nth))) === undefined) left.push(nth);
    due = left;
  }
  expect(due).toEqual([]);
});
