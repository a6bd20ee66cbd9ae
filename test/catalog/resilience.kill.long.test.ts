import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { auditCatalog, wordsOf, type AuditedCatalog } from './auditedCatalog.ts';
import { startScript } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { COMMON_WORDS, PAYEES } from './killedWriterWords.ts';
import { readPage } from './pages.ts';
import { createRandom } from './random.ts';
import { nameOf } from './drafts.ts';

const SEED = 20_260_701;
const KILLS = 200;
/** Files that are written and killed at the same time. */
const LANES = 2;
/** Every so many kills one comes while the catalog is being opened. */
const OPENING_EVERY = 5;
/** After the start of the process, or after its first listing. */
const LATEST_KILL_WHILE_OPENING_MS = 300;
const LATEST_KILL_WHILE_WRITING_MS = 60;
/** Listings of earlier processes that are looked up after each kill; at the end all are. */
const SAMPLE = 20;
const TIMEOUT_MS = 300_000;

interface Report {
  key: string;
  payTo: string;
  amount: number;
  description: string;
}

/** What was reported about a listing, in this order. */
type Reported = Map<string, Report[]>;

const log = { info: () => {}, warn: () => {}, error: () => {} };

test(
  `${KILLS} times kill -9: no reported listing is lost, and the file opens again`,
  { timeout: TIMEOUT_MS },
  async () => {
    console.log(`seed ${SEED}`);
    const folder = temporaryFolder();
    const lanes = Array.from({ length: LANES }, (_, lane) => killRepeatedly(folder, lane));
    const kills = (await Promise.all(lanes)).flat();

    expect(kills).toHaveLength(KILLS);
    // Most kills came while writing, at different points of it.
    const writing = kills.filter((listings) => listings > 0);
    expect(writing.length).toBeGreaterThan(KILLS / 2);
    expect(new Set(writing).size).toBeGreaterThan(3);
  },
);

/** Writes one file by one process after the other. Returns how many listings each reported before it was killed. */
async function killRepeatedly(folder: string, lane: number): Promise<number[]> {
  const random = createRandom(SEED + lane);
  const path = join(folder, `lane${lane}.db`);
  const reported: Reported = new Map();
  const kills: number[] = [];

  for (let round = 0; round < KILLS / LANES; round += 1) {
    const child = startScript('killedWriter.ts', [path, String(round), String(SEED + round)]);
    if (round % OPENING_EVERY === OPENING_EVERY - 1) {
      await sleep(random.next() * LATEST_KILL_WHILE_OPENING_MS);
    } else {
      await child.line('listed');
      await sleep(random.next() * LATEST_KILL_WHILE_WRITING_MS);
    }
    child.kill('SIGKILL');
    const { signal, lines, stderr } = await child.ended;
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    expect(lines.filter((line) => line.startsWith('fault'))).toEqual([]);
    // It opened the file as the kill before had left it.
    const opened = lines.find((line) => line.startsWith('open '));
    if (opened !== undefined)
      expect(Number(opened.slice('open '.length))).toBeGreaterThanOrEqual(reported.size);

    const news = lines.filter((line) => line.startsWith('listed ')).map(reportIn);
    for (const report of news) reported.set(report.key, [...(reported.get(report.key) ?? []), report]);
    kills.push(news.length);
    const looked = [...reported.keys()].filter(() => random.next() < SAMPLE / reported.size);
    checkCopy(path, reported, new Set([...news.map(({ key }) => key), ...looked]));
  }

  await checkServed(path, reported);
  const catalog = auditCatalog(path);
  expect(catalog.integrity()).toEqual({ integrity_check: 'ok' });
  expectReported(catalog, reported, new Set(reported.keys()));
  for (const word of COMMON_WORDS) expectFound(catalog, word);
  catalog.close();
  return kills;
}

function reportIn(line: string): Report {
  return JSON.parse(line.slice('listed '.length)) as Report;
}

/** Looks at a copy: the next process is to open what the killed one left. */
function checkCopy(path: string, reported: Reported, keys: ReadonlySet<string>): void {
  if (!existsSync(path)) return;
  const copy = `${path}.copy`;
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  const catalog = auditCatalog(copy);
  expectReported(catalog, reported, keys);
  for (const payTo of PAYEES) {
    const items = [...catalog.items.values()].filter(({ accepts }) => accepts[0]!.payTo === payTo);
    expect(catalog.total({ payTo, type: 'http' })).toBe(items.length);
  }
  expectFound(catalog, COMMON_WORDS[keys.size % COMMON_WORDS.length]!);
  catalog.close();
}

/** All of `reported` is listed, in its latest wording or one that was not reported any more; `keys` are searched for. */
function expectReported(catalog: AuditedCatalog, reported: Reported, keys: ReadonlySet<string>): void {
  for (const [key, reports] of reported) {
    const item = catalog.items.get(key);
    expect(item, `the listing ${key}`).toBeDefined();
    expect(versionIn(wordsOf(item!))).toBeGreaterThanOrEqual(
      versionIn(reports.at(-1)!.description.split(' ')),
    );
    const amounts = item!.accepts.map(({ amount }) => Number(amount));
    expect(amounts).toEqual(expect.arrayContaining(reports.map(({ amount }) => amount)));
    expect(item!.accepts.every(({ payTo }) => payTo === reports[0]!.payTo)).toBe(true);
    if (!keys.has(key)) continue;
    for (const word of wordsOf(item!).slice(0, 2)) expectFound(catalog, word);
  }
}

function versionIn(words: readonly string[]): number {
  return Number(words.find((word) => word.startsWith('version'))!.slice('version'.length));
}

/** A search finds the listings that say `word`, each once, and no other. */
function expectFound(catalog: AuditedCatalog, word: string): void {
  expect(catalog.found(word).sort(), `the search for ${word}`).toEqual([...catalog.saying(word)].sort());
}

/** As clients get it, after all kills. */
async function checkServed(path: string, reported: Reported): Promise<void> {
  const catalog = await openCatalog({ dbPath: path, log });
  for (const key of reported.keys()) {
    const { resources } = await readPage(await catalog.search({ query: key, filters: {} }));
    expect(resources.map(({ resource }) => nameOf(resource))).toEqual([key]);
  }
  await catalog.close();
}
