import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { IN_MEMORY, UnusableFile } from '../../src/store/sqliteFile.ts';
import { CATALOG_LIMITS } from '../../src/catalog/limits.ts';
import type { CatalogLog } from '../../src/catalog/log.ts';
import { auditCatalog } from './auditedCatalog.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { threads } from './controlledThreads.ts';
import { readPage } from './pages.ts';
import { settledPayment } from './settledPayments.ts';

vi.mock('node:worker_threads', async (original) => {
  const { ControlledWorker } = await import('./controlledThreads.ts');
  return { ...(await original<object>()), Worker: ControlledWorker };
});

const AN_HOUR_MS = 3_600_000;
const TOO_MANY = 'too many declarations wait, or they take too long';

interface Said {
  text: string;
  err?: Error;
  faults?: number;
}

interface Opened {
  catalog: Catalog;
  path: string;
  /** What the catalog said, one object per line. */
  said: Said[];
}

/** A catalog, until the test ends. Opened by the real clock; the tests' own clock goes by hand. */
async function open(path = join(temporaryFolder(), 'catalog.db')): Promise<Opened> {
  const said: Said[] = [];
  const say: CatalogLog['info'] = (fields, text) => void said.push({ ...fields, text });
  const catalog = await openCatalog({ dbPath: path, log: { info: say, warn: say, error: say } });
  onTestFinished(async () => {
    vi.useRealTimers();
    threads.deaf = false;
    threads.hear();
    await catalog.close();
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // It begins at zero, and is not to run behind what happened before.
  vi.advanceTimersByTime(AN_HOUR_MS);
  return { catalog, path, said };
}

const submit = (catalog: Catalog, key: string) => catalog.submit(settledPayment({ key, payTo: 'GALICE' }));

const totalIn = async (catalog: Catalog): Promise<number> => {
  const { pagination } = await readPage(await catalog.list({ filters: {} }));
  return pagination.total;
};

/** As a promise stands when everything that is ready has run. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([promise, Promise.resolve('pending')]);
}

beforeEach(() => {
  threads.deaf = false;
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a catalog that does not answer', () => {
  test('is waited for as long as the budget says, and no longer', async () => {
    const { catalog, said } = await open(IN_MEMORY);
    threads.deaf = true;
    const outcome = submit(catalog, 'one');
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.submitBudgetMs - 1);
    expect(await stateOf(outcome)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await stateOf(outcome)).toBeUndefined();
    expect(said).toEqual([
      {
        text: 'cataloging takes longer than a settlement waits for it',
        budgetMs: CATALOG_LIMITS.submitBudgetMs,
      },
    ]);
    await threads.end();
  });

  test('has its threads replaced, and then lists again', async () => {
    const { catalog, said } = await open();
    await submit(catalog, 'before');
    const { started } = threads;
    threads.deaf = true;
    const [outcome, page] = [submit(catalog, 'lost'), totalIn(catalog)];
    page.catch(() => {});
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.answerTimeoutMs);
    expect(await outcome).toBeUndefined();
    await expect(page).rejects.toThrow(
      `the catalog gave no answer within ${CATALOG_LIMITS.answerTimeoutMs} ms`,
    );
    expect(said.at(-1)).toMatchObject({ text: 'cataloging failed', faults: 1 });

    threads.deaf = false;
    await vi.waitUntil(() => threads.running === 0);
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    expect(await submit(catalog, 'after')).toEqual({ status: 'success' });
    expect(await totalIn(catalog)).toBe(2);
    expect(threads.started).toBe(started + 2);
  });

  test('has no more submissions waiting than the limit says', async () => {
    const { catalog, said } = await open(IN_MEMORY);
    threads.deaf = true;
    // One of them is under way.
    const waiting = Array.from({ length: CATALOG_LIMITS.maxWaiting + 1 }, (_, index) =>
      submit(catalog, `waiting${index}`),
    );
    await stateOf(waiting[0]!);
    expect(said).toEqual([]);
    expect(await submit(catalog, 'further')).toBeUndefined();
    expect(said).toMatchObject([{ text: 'cataloging failed', faults: 1 }]);
    expect(said[0]!.err!.message).toBe(TOO_MANY);
    await threads.end();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => undefined));
  });

  test('fails what waits behind the one that it does not answer, too', async () => {
    const { catalog, said } = await open(IN_MEMORY);
    threads.deaf = true;
    const outcomes = [submit(catalog, 'unheard'), submit(catalog, 'behind')];
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.answerTimeoutMs);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined]);
    expect(said.filter(({ text }) => text === 'cataloging failed').map(({ err }) => err!.message)).toEqual([
      `the catalog gave no answer within ${CATALOG_LIMITS.answerTimeoutMs} ms`,
      'the catalog is not running',
    ]);
  });

  test('has no question waiting for longer than the limit says', async () => {
    const { catalog } = await open();
    threads.deaf = true;
    const underWay = Array.from({ length: CATALOG_LIMITS.maxReaders * CATALOG_LIMITS.questionsAtATime }, () =>
      catalog.list({ filters: {} }),
    );
    for (const question of underWay) question.catch(() => {});
    const waiting = catalog.list({ filters: {} });
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.questionWaitMs - 1);
    // Where there are fewer processors there are fewer readers, and an earlier one waits as well.
    expect(await stateOf(waiting)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({ code: 'svc_overloaded' });
    await threads.end();
  });

  test('is closed within the grace of each', async () => {
    const { catalog } = await open();
    threads.deaf = true;
    const closed = catalog.close().then(() => 'closed');
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.closeGraceMs - 1);
    expect(await stateOf(closed)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    // The writer is told to close when the readers have ended.
    await vi.waitUntil(() => threads.running === 1);
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.closeGraceMs);
    expect(await closed).toBe('closed');
    expect(threads.running).toBe(0);
  });
});

describe('a thread that ends by itself', () => {
  test('fails what it had under way, at once', async () => {
    const { catalog, said } = await open(IN_MEMORY);
    threads.deaf = true;
    const outcomes = [submit(catalog, 'one'), submit(catalog, 'two')];
    await stateOf(outcomes[0]!);
    await threads.end();
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined]);
    expect(said.map(({ text, faults }) => [text, faults])).toEqual([
      ['cataloging failed', 1],
      ['cataloging failed', 2],
    ]);
  });

  test('is not replaced before the delay, and once for all who ask then', async () => {
    const { catalog } = await open();
    await threads.end();
    const { started } = threads;
    expect(await submit(catalog, 'early')).toBeUndefined();
    await expect(totalIn(catalog)).rejects.toThrow('the catalog is not running');
    expect(threads.started).toBe(started);
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    const outcomes = [submit(catalog, 'one'), submit(catalog, 'two'), submit(catalog, 'three')];
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => ({ status: 'success' })));
    expect(threads.started).toBe(started + 1);
    expect(await totalIn(catalog)).toBe(3);
  });
});

describe('a thread that starts', () => {
  /** A catalog whose threads have ended, and are replaced when something is asked. */
  async function openEnded(path?: string): Promise<Opened> {
    const opened = await open(path);
    await threads.end();
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    return opened;
  }

  test('has no more submissions waiting than the limit says, and then carries them out', async () => {
    const { catalog, said } = await openEnded(IN_MEMORY);
    const { started } = threads;
    threads.unready = true;
    const waiting = Array.from({ length: CATALOG_LIMITS.maxWaiting + 1 }, () => submit(catalog, 'waiting'));
    expect(await stateOf(submit(catalog, 'further'))).toBeUndefined();
    expect(said).toMatchObject([{ text: 'cataloging failed', faults: 1 }]);
    expect(said[0]!.err!.message).toBe(TOO_MANY);
    threads.hear();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ status: 'success' })));
    expect(threads.started).toBe(started + 1);
  });

  test('is waited for as long as for an answer, and no longer', async () => {
    const { catalog } = await openEnded(IN_MEMORY);
    threads.unready = true;
    const failed = totalIn(catalog).catch(({ message }: Error) => message);
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.answerTimeoutMs - 1);
    expect(await stateOf(failed)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await stateOf(failed)).toBe(
      `the catalog gave no answer within ${CATALOG_LIMITS.answerTimeoutMs} ms`,
    );
  });

  test('has its own time for that, also when somebody waits who is told that there is no answer', async () => {
    const { catalog } = await openEnded(IN_MEMORY);
    const { started } = threads;
    threads.unready = true;
    const early = submit(catalog, 'early');
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.startTimeoutMs - 1);
    expect(await early).toBeUndefined();
    expect(threads.running).toBe(1);
    threads.hear();
    expect(await submit(catalog, 'late')).toEqual({ status: 'success' });
    expect(threads.started).toBe(started + 1);
  });

  test('and is not ready when its time is over is ended, and replaced after the delay', async () => {
    const { catalog } = await openEnded(IN_MEMORY);
    threads.unready = true;
    const early = submit(catalog, 'early');
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.startTimeoutMs);
    expect(await early).toBeUndefined();
    await vi.waitUntil(() => threads.running === 0);
    threads.unready = false;
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    expect(await submit(catalog, 'late')).toEqual({ status: 'success' });
  });

  test('and cannot use the database is not replaced before it has ended and the delay is over', async () => {
    const { catalog, path, said } = await openEnded();
    const { started } = threads;
    for (const file of globSync(`${path}*`)) rmSync(file);
    writeFileSync(path, 'no database');
    const outcomes: Promise<unknown>[] = [];
    const ask = (): void => void outcomes.push(submit(catalog, `early${outcomes.length}`));
    // As soon as it has said so, while it ends, and once more after it.
    threads.onMessage = () => {
      threads.onMessage = () => {};
      ask();
      setImmediate(ask);
    };
    ask();
    while (threads.running > 0 && outcomes.length < CATALOG_LIMITS.maxWaiting) {
      await sleep(1);
      ask();
    }
    expect(threads.running).toBe(0);
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => undefined));
    expect(threads.started).toBe(started + 1);
    expect(said[0]!.err!.cause).toBeInstanceOf(UnusableFile);
    expect(said.at(-1)!.err!.message).toBe('the catalog is not running');
    rmSync(path);
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    expect(await submit(catalog, 'after')).toEqual({ status: 'success' });
    expect(threads.started).toBe(started + 2);
  });
});

test('a file that cannot be used is refused when it is opened, and no thread is left', async () => {
  const path = join(temporaryFolder(), 'notes.db');
  writeFileSync(path, 'no database');
  const { started } = threads;
  const log: CatalogLog = { info: () => {}, warn: () => {}, error: () => {} };
  await expect(openCatalog({ dbPath: path, log })).rejects.toThrow(UnusableFile);
  expect(threads.started).toBe(started + 1);
  expect(threads.running).toBe(0);
});

describe('closing', () => {
  test('writes what was submitted before it', async () => {
    const { catalog, path } = await open();
    const outcomes = Array.from({ length: 50 }, (_, index) => submit(catalog, `queued${index}`));
    const closed = catalog.close();
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => ({ status: 'success' })));
    await closed;
    expect(threads.running).toBe(0);
    const audited = auditCatalog(path);
    expect(audited.items.size).toBe(50);
    audited.close();
  });

  test('leaves one file that holds everything', async () => {
    const { catalog, path } = await open();
    await submit(catalog, 'one');
    await catalog.close();
    expect(globSync(`${path}*`)).toEqual([path]);
  });

  test('lists nothing any more', async () => {
    const { catalog, said } = await open(IN_MEMORY);
    await catalog.close();
    expect(await submit(catalog, 'late')).toBeUndefined();
    await expect(totalIn(catalog)).rejects.toThrow('the catalog is not running');
    expect(said).toMatchObject([{ text: 'cataloging failed', faults: 1 }]);
    await catalog.close();
  });
});

describe('the state of a catalog', () => {
  test('has the number of listings since they were counted last, and what waits', async () => {
    const { catalog } = await open();
    expect(catalog.state()).toEqual({
      listings: undefined,
      waiting: 0,
      areThreadsUp: true,
      hasFailed: false,
    });
    await Promise.all([submit(catalog, 'one'), submit(catalog, 'two')]);
    expect(catalog.state().listings).toBeUndefined();
    await catalog.countListings();
    expect(catalog.state()).toMatchObject({ listings: 2, waiting: 0 });
    threads.deaf = true;
    const [first, second] = [submit(catalog, 'three'), submit(catalog, 'four')];
    expect(catalog.state().waiting).toBe(1);
    await threads.end();
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.submitBudgetMs);
    await Promise.all([first, second]);
  });

  test('tells that a thread has ended, and that a listing was not written, until one is again', async () => {
    const { catalog } = await open();
    threads.deaf = true;
    const lost = submit(catalog, 'one');
    await threads.end();
    expect(await lost).toBeUndefined();
    expect(catalog.state()).toMatchObject({ areThreadsUp: false, hasFailed: true });
    threads.deaf = false;
    await vi.advanceTimersByTimeAsync(CATALOG_LIMITS.restartDelayMs);
    expect(await submit(catalog, 'one')).toEqual({ status: 'success' });
    expect(catalog.state()).toMatchObject({ areThreadsUp: true, hasFailed: false });
  });
});
