// How long the index of a new instance takes to reach the end of a shared catalog, and what memory: `node bench/replication.ts 1000000`.
// Then: what a write to the log takes, and when another instance lists it.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCatalog, type Catalog } from '../src/catalog/index.ts';
import { decide } from '../src/catalog/decide.ts';
import { createDatabase, type Database } from '../src/store/postgres.ts';
import { migrate } from '../src/store/postgresMigrations.ts';
import { SCHEMA } from '../src/store/postgresSchema.ts';
import { openPostgres } from '../test/postgres/server.ts';
import { listingAt } from './search/listings.ts';

const SEED = 1;
const BATCH = 5_000;
const WRITES = 300;
/** Has no divisor in common with a round number of listings. */
const STRIDE = 7_919;
const SAMPLE_MS = 50;
const FILLED_WITHIN_MS = 600_000;
const [listings = 100_000] = process.argv.slice(2).map(Number);
const quiet = { info() {}, warn: console.error, error: console.error };
const folder = mkdtempSync(join(tmpdir(), 'replication-'));
const postgres = await openPostgres();
const url = await postgres.database();
const databases: Database[] = [];
const db = database();

function database(): Database {
  const opened = createDatabase({ url, log: quiet, limits: { answerWithinMs: FILLED_WITHIN_MS } });
  databases.push(opened);
  return opened;
}

/** Every second listing was refreshed since, in another order than that in which they were made. */
function positionOf(number: number): number {
  return number % 2 === 0 ? number + 1 : listings + 1 + ((number * STRIDE) % listings);
}

async function fill(): Promise<void> {
  await migrate(db);
  for (let from = 0; from < listings; from += BATCH) {
    const length = Math.min(BATCH, listings - from);
    const settlements = Array.from({ length }, (_, at) => listingAt(SEED, from + at, listings));
    await db.query(
      `INSERT INTO ${SCHEMA}.listing SELECT id, position, decode(key, 'hex'), owner, item, NULL, NULL, 0
       FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS l (id, position, key, owner, item)`,
      [
        settlements.map((_, at) => from + at + 1),
        settlements.map((_, at) => positionOf(from + at)),
        settlements.map(({ declaration: { resource, type, toolName } }) =>
          createHash('sha256')
            .update(JSON.stringify([resource, type, toolName]))
            .digest('hex'),
        ),
        settlements.map(({ requirements }) => requirements.payTo),
        settlements.map((settlement) => {
          const decided = decide(settlement, undefined);
          return JSON.stringify(decided === 'owned by another' ? {} : decided.item);
        }),
      ],
    );
  }
  await db.query(
    `UPDATE ${SCHEMA}.catalog SET position = 2 * $1::bigint, listings = $1,
       checksum = (SELECT bit_xor(${SCHEMA}.listing_hash(l)) FROM ${SCHEMA}.listing AS l)`,
    [listings],
  );
}

const open = (name: string): Promise<Catalog> =>
  openCatalog({ dbPath: join(folder, `${name}.db`), log: quiet, db: database() });

async function totalOf(catalog: Catalog, payTo?: string): Promise<number | undefined> {
  const page = await catalog.list({ filters: { payTo }, limit: 1 });
  if ('code' in page) return undefined;
  return (JSON.parse(Buffer.from(page.json).toString()) as { pagination: { total: number } }).pagination
    .total;
}

async function submit(catalog: Catalog, key: string): Promise<number> {
  const startedAtMs = performance.now();
  const outcome = await catalog.submit({
    extensions: {
      bazaar: {
        info: { input: { type: 'http', method: 'GET' } },
        schema: { properties: { input: { type: 'object' } } },
      },
    },
    resource: { url: `https://${key}.example.com/`, description: `${key} of the measurement` },
    requirements: { ...listingAt(SEED, 0, listings).requirements, payTo: key },
    isStellarAsset: true,
  });
  if (outcome?.status !== 'success') console.error(key, outcome);
  return performance.now() - startedAtMs;
}

const quantiles = (ms: number[]): string => {
  const sorted = ms.sort((a, b) => a - b);
  return [0.5, 0.99]
    .map((at) => `p${at * 100} ${sorted[Math.floor(at * sorted.length)]!.toFixed(1)} ms`)
    .join(', ');
};

async function rebuilt(): Promise<Catalog> {
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const beforeBytes = process.memoryUsage.rss();
  const beforeCpu = process.cpuUsage();
  let peakBytes = 0;
  const startedAtMs = performance.now();
  delay.enable();
  const catalog = await open('one');
  for (let total; total !== listings; total = await totalOf(catalog)) {
    await sleep(SAMPLE_MS);
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }
  delay.disable();
  const seconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(beforeCpu);
  const [before, peak] = [beforeBytes, peakBytes].map((bytes) => Math.round(bytes / 2 ** 20));
  console.log(
    `rebuilt: ${listings} in ${seconds.toFixed(1)} s, ${Math.round(listings / seconds)} per second`,
  );
  console.log(`CPU of all threads: ${((user + system) / 1e6).toFixed(1)} s`);
  console.log(`resident: ${before} MiB before, ${peak} MiB at most`);
  console.log(`the main thread was late by at most ${(delay.max / 1e6).toFixed(0)} ms`);
  return catalog;
}

const startedAtMs = performance.now();
await fill();
console.log(`filled: ${listings} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
const one = await rebuilt();
if (process.argv[3] === 'writes') {
  const other = await open('other');
  for (let total; total !== listings; total = await totalOf(other)) await sleep(100);
  const [took, lags]: [number[], number[]] = [[], []];
  for (let nth = 0; nth < WRITES; nth += 1) {
    took.push(await submit(one, `w${nth}`));
    const toldAtMs = performance.now();
    while ((await totalOf(other, `w${nth}`)) !== 1) await sleep(1);
    lags.push(performance.now() - toldAtMs);
  }
  console.log(`submit: ${quantiles(took)}; then at another instance: ${quantiles(lags)}`);
  await other.close();
}
await one.close();
await Promise.all(databases.map((opened) => opened.close()));
await postgres.close();
rmSync(folder, { recursive: true, force: true });
