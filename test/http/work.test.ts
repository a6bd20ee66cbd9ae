import { expect, test } from 'vitest';
import { createWork } from '../../src/http/work.ts';

/** The order in which the turns came. */
function openWork(batch: number) {
  const work = createWork(batch);
  const order: string[] = [];
  return {
    order,
    async ask(address: string): Promise<void> {
      await work.turn(address);
      order.push(address);
    },
    nextBatch: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

test('a few are begun at once, the others batch by batch', async () => {
  const { ask, order, nextBatch } = openWork(2);
  const all = ['a', 'a', 'a', 'a', 'a'].map(ask);
  await Promise.resolve();
  expect(order).toHaveLength(2);
  await nextBatch();
  expect(order).toHaveLength(4);
  await Promise.all(all);
  expect(order).toHaveLength(5);
});

test('addresses take turns, however much one asks for', async () => {
  const { ask, order } = openWork(1);
  const all = [...Array.from({ length: 50 }, () => ask('greedy')), ask('modest'), ask('other')];
  await Promise.all(all);
  expect(order.slice(0, 4)).toEqual(['greedy', 'greedy', 'modest', 'other']);
});

test('nobody waits where nobody else asks', async () => {
  const work = createWork(1);
  expect(work.turn('a')).toBeUndefined();
  await new Promise(setImmediate);
  expect(work.turn('a')).toBeUndefined();
});
