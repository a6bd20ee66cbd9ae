// The whole catalog with its threads, as the service runs it, in a process of its own: file, listings, seed, ranking.
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openCatalog, type SettledPayment } from '../../src/catalog/index.ts';
import type { Settlement } from '../../src/catalog/store.ts';
import { listingAt } from './listings.ts';
import { queryKinds, QUERIES_OF_EACH_KIND } from './queries.ts';
import { mebibytes, printColumns, spread, timed } from './report.ts';

const WRITES = 200;
const WRITE_PAUSE_MS = 25;
const SYNC_BYTES = 4_096;

const [dbPath = '', listingsText, seedText, ranking = 'lexical'] = process.argv.slice(2);
const [listings, seed] = [Number(listingsText), Number(seedText)];
/** One thread answers hybrid searches. */
const SEARCHES_AT_ONCE = ranking === 'hybrid' ? 1 : 2;
const questions = queryKinds(seed, listings, QUERIES_OF_EACH_KIND).at(-1)!.queries;
const rssBefore = process.memoryUsage.rss();
let late = 0;
const fail = (fields: object, text: string): never => {
  throw new Error(text, { cause: fields });
};
const catalog = await openCatalog({
  dbPath,
  // It warns of nothing but a write that takes longer than a settlement waits for it.
  log: { info: () => {}, warn: () => (late += 1), error: fail },
  ...(ranking === 'hybrid' && { model: 'built-in' as const }),
});
if (ranking === 'hybrid') await filled();

for (const query of questions) await search(query);
const searches: number[] = [];
for (const query of questions) searches.push(await search(query));
const writes = await writeFrom(0);

const loadedSearches: number[] = [];
const over = new AbortController();
const load = Array.from({ length: SEARCHES_AT_ONCE }, async (_, searcher) => {
  for (let at = searcher; !over.signal.aborted; at += SEARCHES_AT_ONCE)
    loadedSearches.push(await search(questions[at % questions.length]!));
});
const loadedWrites = await writeFrom(WRITES);
over.abort();
await Promise.all(load);

const rows: [string, number[]][] = [
  ['question', searches],
  [`question, ${SEARCHES_AT_ONCE} at a time, during the writes`, loadedSearches],
  ['write', writes],
  [`write, during ${SEARCHES_AT_ONCE} searches at a time`, loadedWrites],
  [`fsync of ${SYNC_BYTES} bytes, for comparison`, await syncs()],
];
printColumns(
  `the catalog of ${listings} listings with its threads, as the service runs it, ${ranking} ranking, ms`,
  [''],
  ['measured', 'p50', 'p95', 'p99'],
  rows.map(([name, times]) => [name, String(times.length), ...spread(times)]),
);
const rssAfter = process.memoryUsage.rss();
const rssMost = process.resourceUsage().maxRSS * 1024;
console.log(
  `\nmemory of its process: ${mebibytes(rssBefore)} before it was opened, ${mebibytes(rssAfter)} at the end, ${mebibytes(rssMost)} at most`,
);
console.log(`\nwrites that took longer than a settlement waits: ${late} of ${2 * WRITES}`);
await catalog.close();

/** Waits for the index in memory. Says how long that took, and how much more memory the process has. */
async function filled(): Promise<void> {
  const startedAt = performance.now();
  while ((catalog.state().hybrid?.indexed ?? 0) < listings) await pause(100);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const more = process.memoryUsage.rss() - rssBefore;
  console.log(
    `\nthe index of the hybrid ranking was filled in ${seconds} s; the process has ${mebibytes(more)} more then, ${Math.round(more / listings)} bytes a listing with all else`,
  );
}

async function search(query: string): Promise<number> {
  return (await timed(() => catalog.search({ query, filters: {} }))).ms;
}

async function writeFrom(first: number): Promise<number[]> {
  const times: number[] = [];
  for (const settlement of settlementsFrom(first)) {
    const settled = settledFrom(settlement);
    const { value, ms } = await timed(() => catalog.submit(settled));
    if (value?.status === 'rejected') throw new Error(`a write was refused: ${value.rejectedReason}`);
    times.push(ms);
    await pause(WRITE_PAUSE_MS);
  }
  return times;
}

/** New listings and refreshed ones with other words, in turn, which no earlier write was for. */
function* settlementsFrom(first: number): Iterable<Settlement> {
  for (let nth = first; nth < first + WRITES; nth++) {
    const added = listingAt(seed, listings + nth, listings);
    if (nth % 2 === 0) {
      yield added;
      continue;
    }
    const known = listingAt(seed, Math.floor((listings * nth) / (2 * WRITES)), listings);
    const { description } = added.declaration.metadata;
    const metadata = { ...known.declaration.metadata, ...(description !== undefined && { description }) };
    yield { ...known, declaration: { ...known.declaration, metadata } };
  }
}

function settledFrom({ declaration, requirements }: Settlement): SettledPayment {
  const { resource: url, bazaar, metadata } = declaration;
  return { extensions: { bazaar }, resource: { url, ...metadata }, requirements, isStellarAsset: true };
}

/** A write cannot do without this: the disk confirms that it has it. */
async function syncs(): Promise<number[]> {
  const path = `${dbPath}.sync`;
  const file = openSync(path, 'w');
  const times: number[] = [];
  for (let nth = 0; nth < WRITES; nth++) {
    writeSync(file, Buffer.alloc(SYNC_BYTES));
    times.push((await timed(() => fsyncSync(file))).ms);
    await pause(WRITE_PAUSE_MS);
  }
  closeSync(file);
  rmSync(path);
  return times;
}
