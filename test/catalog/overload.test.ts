import { expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { CATALOG_LIMITS } from '../../src/catalog/limits.ts';
import { slow } from './slowThreads.ts';

vi.mock('node:worker_threads', async (original) => {
  const { SlowWorker } = await import('./slowThreads.ts');
  return { ...(await original<object>()), Worker: SlowWorker };
});

/** A catalog each of whose questions takes 20 ms of a thread, until the test ends. */
async function open(): Promise<Catalog> {
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  // Its threads open no file.
  const catalog = await openCatalog({ dbPath: 'none.db', log: silent });
  onTestFinished(() => catalog.close());
  return catalog;
}

const never = new AbortController().signal;

async function isAnswered(catalog: Catalog, name: string, gone = never): Promise<boolean> {
  return !(
    'code' in
    (await catalog.list(
      { filters: {} },
      { name, keyId: undefined, requestId: name, prefersPage: false, idempotencyKey: undefined, gone },
    ))
  );
}

const many = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);

test('the flood of one address takes no answer from another', async () => {
  const catalog = await open();
  const flood: Promise<boolean>[] = [];
  for (let nth = 0; nth < 30; nth += 1) {
    flood.push(...many(CATALOG_LIMITS.maxWaitingQuestions, () => isAnswered(catalog, 'greedy')));
    expect(await isAnswered(catalog, 'modest')).toBe(true);
  }
  expect(await Promise.all(flood)).toContain(false);
});

test('questions whose callers have gone are not carried out', async () => {
  const catalog = await open();
  const before = slow.questions;
  const gone = new AbortController();
  const left = many(CATALOG_LIMITS.maxWaitingQuestions, () => isAnswered(catalog, 'gone', gone.signal));
  gone.abort();
  expect(await isAnswered(catalog, 'stays')).toBe(true);
  expect(await isAnswered(catalog, 'late', gone.signal)).toBe(false);
  await Promise.all(left);
  expect(slow.questions - before).toBeLessThanOrEqual(
    CATALOG_LIMITS.maxReaders * CATALOG_LIMITS.questionsAtATime + 1,
  );
});

test('of more questions than may wait, the oldest are refused at once', async () => {
  const catalog = await open();
  const places =
    CATALOG_LIMITS.maxWaitingQuestions + CATALOG_LIMITS.maxReaders * CATALOG_LIMITS.questionsAtATime;
  const refused: number[] = [];
  const asked = many(places + 10, () => 0).map(async (_, nth) => {
    if (!(await isAnswered(catalog, 'one'))) refused.push(nth);
  });
  await Promise.resolve();
  await Promise.all(asked);
  // The first ones are with a thread already.
  expect(
    refused
      .slice(0, 10)
      .every((nth) => nth < 10 + CATALOG_LIMITS.maxReaders * CATALOG_LIMITS.questionsAtATime),
  ).toBe(true);
});
