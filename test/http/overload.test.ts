import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { slow } from '../catalog/slowThreads.ts';
import { expectDocumented } from '../support/contract.ts';
import { openTestService, type TestService } from './support.ts';

// More is asked of discovery than it can answer: each question takes 80 ms of a thread.

vi.mock('node:worker_threads', async (original) => {
  const { SlowWorker } = await import('../catalog/slowThreads.ts');
  return { ...(await original<object>()), Worker: SlowWorker };
});

const PATH = '/discovery/resources';
const FOR_MS = 2_000;
const MEASURED_MS = 1_000;
const TIMES = 10;
/** A queue that collapses answers a tenth. bench/attack checks the goal of 0.8 on a quiet machine. */
const SHARE = 0.5;

/** A machine that is busy with something else for a moment is no failure. */
const TRIES = { retry: 2 };

/** Statuses that were held to the contract: all answers would take longer than the service takes. */
const seen = new Set<number>();

interface Asked {
  status: number | 'gave up';
  ms: number;
}

/** A service over a catalog whose questions take their time. */
let service: TestService;
/** How many questions it answers in a second. */
let capacity: number;
beforeAll(async () => {
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  slow.questionMs = 80;
  // Its threads open no file.
  service = await openTestService({}, await openCatalog({ dbPath: 'none.db', log: silent }));
});
beforeEach(async () => {
  capacity = await measuredCapacity();
});
afterAll(() => service.close());

/** One question over a connection of its own. */
function ask({ patienceMs = 60_000 } = {}): Promise<Asked> {
  const startedAtMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const end = (status: Asked['status']): void => resolve({ status, ms: performance.now() - startedAtMs });
  const asked = request({ host: '127.0.0.1', port: service.port, path: PATH, agent: false });
  asked.setTimeout(patienceMs, () => asked.destroy());
  asked.on('error', () => end('gave up'));
  asked.on('response', (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      if (!seen.has(status))
        expectDocumented({ method: 'GET', path: PATH, status, headers, body: JSON.parse(text) });
      seen.add(status);
      end(status);
    });
  });
  asked.end();
  return promise;
}

/** How many questions are answered in a second when callers wait for each other. */
async function measuredCapacity(): Promise<number> {
  const until = performance.now() + MEASURED_MS;
  let answered = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) if ((await ask()).status === 200) answered += 1;
  };
  await Promise.all(Array.from({ length: 4 }, one));
  return (answered * 1_000) / MEASURED_MS;
}

/** Asks so many times a second, whatever comes of it. */
async function flood(perSecond: number, one: () => Promise<Asked>): Promise<Asked[]> {
  const asked: Promise<Asked>[] = [];
  const startedAtMs = performance.now();
  for (let ms = 0; ms < FOR_MS; ms = performance.now() - startedAtMs) {
    while (asked.length < (ms * perSecond) / 1_000) asked.push(one());
    await sleep(5);
  }
  return Promise.all(asked);
}

const countOf = (asked: readonly Asked[], wanted: Asked['status']): number =>
  asked.filter(({ status }) => status === wanted).length;

test(
  'discovery does not collapse when clients that give up ask ten times as much as it can answer',
  TRIES,
  async () => {
    const asked = await flood(TIMES * capacity, () => ask({ patienceMs: 1_000 }));
    expect(asked.length).toBeGreaterThan(0.5 * TIMES * capacity * (FOR_MS / 1_000));
    expect(countOf(asked, 200)).toBeGreaterThanOrEqual(SHARE * capacity * (FOR_MS / 1_000));
  },
);

test(
  'nor if clients give up sooner than a question may wait; it drops the questions of clients that have left',
  TRIES,
  async () => {
    const before = slow.questions;
    const asked = await flood(TIMES * capacity, () => ask({ patienceMs: 400 }));
    const answered = countOf(asked, 200);
    expect(answered).toBeGreaterThanOrEqual(SHARE * capacity * (FOR_MS / 1_000));
    // A few leave while theirs is under way.
    expect(slow.questions - before).toBeLessThan(1.5 * answered);
  },
);

test('all are told in time where they never give up: an answer, or that there is none', TRIES, async () => {
  const asked = await flood(TIMES * capacity, () => ask());
  expect(countOf(asked, 200)).toBeGreaterThanOrEqual(SHARE * capacity * (FOR_MS / 1_000));
  expect(countOf(asked, 200) + countOf(asked, 503)).toBe(asked.length);
  expect(asked.filter(({ ms }) => ms > 5_000)).toEqual([]);
});
