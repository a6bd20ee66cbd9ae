/** Measures when other instances list what one has sold, and how long a new index takes to have all listings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { openCatalog, type Catalog } from '../../src/catalog/index.ts';
import { createDatabase, type Database } from '../../src/store/postgres.ts';
import { LISTED } from '../payments.ts';
import { say } from '../progress.ts';
import { goal, type Result, type Section } from '../results.ts';
import { listingAt } from '../search/listings.ts';
import { median, percentile } from '../statistics.ts';
import { shown } from '../table.ts';
import { fillLog } from './filledLog.ts';

export interface ReplicationPlan {
  /** Listings of the catalog. */
  listings: number;
  /** Listings that are written then. */
  writes: number;
}

const FILLED_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 50;
const LAG_GOAL_MS = 200;
/** For 1,000,000 listings. */
const REBUILD_GOAL_SECONDS = 180;
const WHOLE = 1_000_000;
const quiet = { info() {}, warn: console.error, error: console.error };

export async function measureReplication(
  databaseUrl: string,
  { listings, writes }: ReplicationPlan,
): Promise<{ section: Section; goals: Result['goals'] }> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), 'replication-')), (name) =>
    rmSync(name, { recursive: true, force: true }),
  );
  const connect = (): Database =>
    stack.adopt(
      createDatabase({ url: databaseUrl, log: quiet, limits: { answerWithinMs: FILLED_WITHIN_MS } }),
      (db) => db.close(),
    );
  const open = async (name: string): Promise<Catalog> => {
    const dbPath = join(folder, `${name}.db`);
    return stack.adopt(await openCatalog({ dbPath, log: quiet, db: connect() }), (catalog) =>
      catalog.close(),
    );
  };
  await fillLog(connect(), listings);
  say('instances: an empty index follows');
  const rebuild = await timeRebuild(() => open('one'), listings);
  const other = await open('other');
  await hasAll(other, listings);
  say(`instances: ${writes} listings are written at one instance`);
  const lags = await timeWrites(rebuild.catalog, other, listings, writes);
  const single = (name: string, value: number) => ({ name, ours: [value], peer: [] });
  const p99LagMs = percentile(lags.laterMs, 99);
  const { seconds } = rebuild;
  const secondsForAll = (seconds / listings) * WHOLE;
  return {
    section: {
      title: `Replication, ${listings.toLocaleString('en')} listings`,
      measures: [
        single('a listing is written, p50, ms', median(lags.writtenMs)),
        single('a listing is written, p99, ms', percentile(lags.writtenMs, 99)),
        single('then at another instance, p50, ms', median(lags.laterMs)),
        single('then at another instance, p99, ms', p99LagMs),
        single('an empty index has all listings, s', seconds),
        single('resident memory at most, MiB', rebuild.peakMib),
        single('timers of the main thread late at most, ms', rebuild.lateMs),
      ],
    },
    goals: [
      goal(
        `another instance lists within ${LAG_GOAL_MS} ms, p99`,
        `${shown(p99LagMs)} ms`,
        p99LagMs <= LAG_GOAL_MS,
      ),
      goal(
        `an empty index has 1,000,000 listings within ${REBUILD_GOAL_SECONDS} s`,
        `${shown(secondsForAll)} s`,
        secondsForAll <= REBUILD_GOAL_SECONDS,
      ),
    ],
  };
}

async function timeRebuild(open: () => Promise<Catalog>, listings: number) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startedAtMs = performance.now();
  delay.enable();
  const catalog = await open();
  const peakBytes = await hasAll(catalog, listings);
  delay.disable();
  return {
    catalog,
    seconds: (performance.now() - startedAtMs) / 1000,
    peakMib: peakBytes / 2 ** 20,
    lateMs: delay.max / 1e6,
  };
}

/** Resolves when the catalog lists them all, with the most memory that was seen meanwhile. */
async function hasAll(catalog: Catalog, listings: number): Promise<number> {
  let peakBytes = 0;
  for (let total; total !== listings; total = await totalOf(catalog)) {
    await pause(LOOK_EVERY_MS);
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }
  return peakBytes;
}

async function timeWrites(one: Catalog, other: Catalog, listings: number, writes: number) {
  const [writtenMs, laterMs]: [number[], number[]] = [[], []];
  const { requirements } = listingAt(1, 0, listings);
  for (let nth = 0; nth < writes; nth += 1) {
    const payTo = `w${nth}`;
    const startedAtMs = performance.now();
    const outcome = await one.submit({
      extensions: LISTED,
      resource: { url: `https://${payTo}.example.com/`, description: `${payTo} of the measurement` },
      requirements: { ...requirements, payTo },
      isStellarAsset: true,
    });
    const writtenAtMs = performance.now();
    if (outcome?.status !== 'success') throw new Error(`not listed: ${JSON.stringify(outcome)}`);
    writtenMs.push(writtenAtMs - startedAtMs);
    while ((await totalOf(other, payTo)) !== 1) await pause(1);
    laterMs.push(performance.now() - writtenAtMs);
  }
  return { writtenMs, laterMs };
}

/** Returns undefined while the index is not whole. */
async function totalOf(catalog: Catalog, payTo?: string): Promise<number | undefined> {
  const page = await catalog.list({ filters: { payTo }, limit: 1 });
  if ('code' in page) return undefined;
  const { pagination } = JSON.parse(Buffer.from(page.json).toString()) as { pagination: { total: number } };
  return pagination.total;
}
