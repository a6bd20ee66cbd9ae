/** Times what the console and programs ask of the operator's port. */
import { setTimeout as pause } from 'node:timers/promises';
import { say } from '../progress.ts';
import { goal, type Measure, type Result, type Section } from '../results.ts';
import { median, percentile } from '../statistics.ts';
import { shown } from '../table.ts';
import { openAsker, type Answer, type Asker } from './asking.ts';
import type { Filled } from './filledJournal.ts';
import { combinations, lookups, MAX_LIMIT, pagePath } from './questions.ts';

/** A question is asked so many times, and its time is the median: what the machine does besides is not the question's. */
const TIMES = 3;
/** The slowest questions are asked again later: perhaps only the machine was slow. */
const DOUBTED = 50;
const TIMES_DOUBTED = 15;
/** The overview is computed at most once in a second. */
const OVERVIEW_EVERY_MS = 1_100;
const OVERVIEWS = 10;
const GOAL_MS = 50;

type Group =
  | 'a first page'
  | 'the page after it'
  | 'a page in the middle'
  | 'a page near the end'
  | 'a first page of 500'
  | 'a lookup'
  | 'the overview'
  | 'the first event';

interface Timed {
  path: string;
  ms: number;
  slowestMs: number;
}

export async function measurePages(
  operatorPort: number,
  filled: Filled,
): Promise<{ section: Section; goals: Result['goals'] }> {
  await using asker = openAsker(operatorPort);
  const timed: Record<Group, Timed[]> = {
    ...(await timePages(asker, filled)),
    'a lookup': await timeAll(asker, lookups(filled)),
    'the overview': await timeOverview(() => asker.ask('/overview')),
    'the first event': await timeOverview(() => firstEvent(operatorPort)),
  };
  const all = Object.values(timed).flat();
  await doubtSlowest(asker, all);
  const slowest = all.reduce((one, other) => (other.ms > one.ms ? other : one));
  const single = Math.max(...all.map(({ slowestMs }) => slowestMs));
  const row = (name: string, value: number): Measure => ({ name, ours: [value], peer: [] });
  const measures = Object.entries(timed).flatMap(([group, ones]) => {
    const ms = ones.map((one) => one.ms);
    return [
      row(`${group}: p50, ms`, median(ms)),
      row(`${group}: p99, ms`, percentile(ms, 99)),
      row(`${group}: slowest, ms`, Math.max(...ms)),
    ];
  });
  return {
    section: {
      title: `Pages of ${filled.settlements.toLocaleString('en')} settlements`,
      measures: [...measures, row('questions', all.length), row('slowest single answer, ms', single)],
      remark: `The slowest: \`${slowest.path}\`.`,
    },
    goals: [goal(`no page over ${GOAL_MS} ms`, `${shown(slowest.ms)} ms at most`, slowest.ms <= GOAL_MS)],
  };
}

async function timePages(asker: Asker, filled: Filled) {
  const { fromMs, toMs } = filled;
  const middle = await cursorAt(asker, (fromMs + toMs) / 2);
  const end = await cursorAt(asker, fromMs + (toMs - fromMs) / 100);
  const timed = {
    'a first page': [] as Timed[],
    'the page after it': [] as Timed[],
    'a page in the middle': [] as Timed[],
    'a page near the end': [] as Timed[],
    'a first page of 500': [] as Timed[],
  };
  const all = combinations(filled);
  for (const [nth, filters] of all.entries()) {
    if (nth % 100 === 0) say(`operator: ${nth} of ${all.length} combinations of filters asked for`);
    const { next, ...first } = await time(asker, pagePath(filters));
    timed['a first page'].push(first);
    if (next !== undefined) timed['the page after it'].push(await time(asker, pagePath(filters, next)));
    timed['a page in the middle'].push(await time(asker, pagePath(filters, middle)));
    timed['a page near the end'].push(await time(asker, pagePath(filters, end)));
    timed['a first page of 500'].push(await time(asker, pagePath(filters, undefined, MAX_LIMIT)));
  }
  return timed;
}

/** Returns a cursor behind which the settlements from before this time follow. It continues a page of any filters. */
async function cursorAt(asker: Asker, ms: number): Promise<string> {
  const { next } = await time(asker, pagePath({ until: new Date(ms).toISOString() }, undefined, 1));
  if (next === undefined) throw new Error('the journal ends too early');
  return next;
}

/** Asks the slowest questions again, and gives them their new times. */
async function doubtSlowest(asker: Asker, all: readonly Timed[]): Promise<void> {
  say(`operator: the slowest ${DOUBTED} questions are asked again`);
  const slowest = all.toSorted((one, other) => other.ms - one.ms).slice(0, DOUBTED);
  for (const one of slowest.filter(({ path }) => path.startsWith('/settlements')))
    one.ms = (await time(asker, one.path, TIMES_DOUBTED)).ms;
}

async function time(
  asker: Asker,
  path: string,
  times = TIMES,
): Promise<Timed & { next: string | undefined }> {
  const answers: Answer[] = [];
  while (answers.length < times) answers.push(await asker.ask(path));
  const [{ status, text }] = answers as [Answer];
  if (status !== 200 && status !== 404) throw new Error(`${path} answered ${status}: ${text}`);
  const { next } = JSON.parse(text) as { next?: string };
  return { path, ...timesOf(answers.map(({ ms }) => ms)), next };
}

const timesOf = (ms: readonly number[]) => ({ ms: median(ms), slowestMs: Math.max(...ms) });

async function timeAll(asker: Asker, paths: readonly string[]): Promise<Timed[]> {
  const timed: Timed[] = [];
  for (const path of paths) timed.push(await time(asker, path));
  return timed;
}

async function timeOverview(ask: () => Promise<Answer>): Promise<Timed[]> {
  const timed: Timed[] = [];
  while (timed.length < OVERVIEWS) {
    await pause(OVERVIEW_EVERY_MS);
    const { ms, status, text } = await ask();
    if (status !== 200) throw new Error(`the overview answered ${status}: ${text}`);
    timed.push({ path: '/overview', ms, slowestMs: ms });
  }
  return timed;
}

async function firstEvent(port: number): Promise<Answer> {
  const askedAtMs = performance.now();
  const { status, body } = await fetch(`http://127.0.0.1:${port}/events`);
  const reader = body!.getReader();
  const { value } = await reader.read();
  const ms = performance.now() - askedAtMs;
  await reader.cancel();
  return { status, text: Buffer.from(value ?? []).toString(), ms };
}
