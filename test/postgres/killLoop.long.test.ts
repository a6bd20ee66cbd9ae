import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DiscoveryResource } from '../../src/contract/index.ts';
import { createRandom, type Random } from '../catalog/random.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { readListings } from '../kill/readers.ts';
import { openSellers, type Sellers } from '../kill/sellers.ts';
import { endsWithin } from '../support/endsWithin.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { firstInSharedLine, readSharedJournal, type JournalRow } from '../world/journal.ts';
import { createObserver, type Observer } from '../world/observer.ts';
import type { Facts } from '../world/oracle/facts.ts';
import { disagreements, disagreementsAtTheEnd } from '../world/oracle/index.ts';
import {
  moody,
  openWebhookReceiver,
  WEBHOOK_SECRET,
  type WebhookReceiver,
} from '../world/webhookReceiver.ts';
import { openMortal, type Life, type Mortal } from './mortal.ts';
import { binaries, openPostgres, type PostgresServer } from './server.ts';

if (binaries === undefined)
  console.log('skipped: kills of instances on one database, as this machine has no PostgreSQL');

const SEED = Number(process.env['KILL_SEED'] ?? 20_261_122);
const KILLS = Number(process.env['KILL_COUNT'] ?? 100);
const INSTANCES = 3;
const LEDGER_MS = 200;
const SUBMITTERS = 32;
/** Askings at a time. */
const SELLERS = 10;
const RETRY_MS = 50;
/** The database answers a look in this time, or is down. */
const READ_WITHIN_MS = 10_000;
/** PostgreSQL is killed after so many kills of instances, and is down for so long. */
const DATABASE_KILLED_EVERY = 5;
const DOWN_MS = [0, 0, 1_000, 4_000, 11_000];
/** A lease of an instance that is gone runs out, and what it sent expires. */
const MAX_WAIT_FOR_ENDS_MS = 90_000;
/** A settlement that is asked for, a comparison, and a kill of PostgreSQL take less. */
const LONGEST_STEP_MS = 150_000;
/** On a machine that has other things to do. */
const TIMEOUT_MS = 240_000 + 8_000 * KILLS;
/** Progress is told at each such kill of PostgreSQL. */
const TOLD_EVERY = 5;

/** What happened to the instances and to PostgreSQL. */
interface Story {
  readonly lives: Life[];
  databaseKills: number;
  /** How often everything was compared while instances ran. */
  looks: number;
}

interface World {
  readonly sandbox: TestSandbox;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly mortals: readonly Mortal[];
  readonly sellers: Sellers;
  readonly random: Random;
  readonly receiver: WebhookReceiver;
  /** Reads everything at one moment of the ledger; undefined while the database is down. */
  look(): Promise<Look | undefined>;
}

interface Look {
  readonly facts: Facts;
  /** Says where they disagree. Compared at that moment, since answers and ledgers go on. */
  readonly wrong: readonly string[];
}

describe.skipIf(binaries === undefined)('several instances on one database', () => {
  test(
    `${KILLS} kills of instances and of PostgreSQL: ledger, database, answers and all catalogs tell the same`,
    { timeout: TIMEOUT_MS },
    async () => {
      console.log(`seed ${SEED}, ${KILLS} kills; KILL_SEED and KILL_COUNT choose others`);
      const world = await openWorld();
      const story: Story = { lives: [], databaseKills: 0, looks: 0 };
      const selling = sell(world, () => killsIn(story) < KILLS);
      await Promise.all([
        killDatabase(world, story),
        ...world.mortals.map((mortal) => killRepeatedly(world, mortal, story)),
      ]);
      await selling;
      const end = await finish(world);
      console.log(storyOf(story, end));
      expect(story.looks).toBeGreaterThan(0);
      expect(story.databaseKills).toBeGreaterThan(0);
    },
  );
});

async function openWorld(): Promise<World> {
  const postgres = await openPostgres();
  onTestFinished(() => postgres.close());
  const sandbox = await openSandbox({ ledgerMs: LEDGER_MS });
  onTestFinished(() => sandbox.close());
  const { network } = sandbox;
  const databaseUrl = await postgres.database();
  const folder = temporaryFolder();
  const random = createRandom(SEED);
  const keys = Array.from({ length: SUBMITTERS }, () => sandbox.submitter());
  const feeBump = sandbox.submitter();
  const everyone = (what: 'answer' | 'ledger'): void => mortals.forEach(({ happens }) => happens(what));
  const sellers = openSellers({ sandbox, random, host: 'shop', onAnswer: () => everyone('answer') });
  const receiver = await openReceiver(databaseUrl, random);
  const mortals = await Promise.all(
    Array.from({ length: INSTANCES }, (_, nth) =>
      openMortal({
        network,
        databaseUrl,
        random: createRandom(SEED + 1 + nth),
        env: (starts) => ({
          DB_PATH: join(folder, `${nth}.db`),
          SUBMITTER_SECRET: keys.map((key) => key.secret()).join(),
          WEBHOOK_URL: receiver.url,
          WEBHOOK_SECRET,
          ...(starts % 2 === 1 && { FEE_BUMP_SECRET: feeBump.secret() }),
        }),
      }),
    ),
  );
  for (const mortal of mortals) onTestFinished(() => mortal.close());
  onEachLedger(sandbox, () => everyone('ledger'));

  let rows: JournalRow[] = [];
  const arrivals = () => receiver.arrivals;
  const observer = createObserver({ network, payments: sellers.payments, journal: () => rows, arrivals });
  observer.watch('payer', ...sellers.payers);
  observer.watch('payee', ...sellers.payees);
  observer.watch('submitter', ...keys.map((key) => key.publicKey()));
  observer.watch('fee-bump account', feeBump.publicKey());
  let looking: Promise<Look | undefined> = Promise.resolve(undefined);
  // One at a time: each lets ledgers close again.
  const look = (): Promise<Look | undefined> =>
    (looking = looking.then(() => lookAt(sandbox, databaseUrl, observer, (found) => (rows = found))));
  return { sandbox, postgres, databaseUrl, mortals, sellers, random, receiver, look };
}

async function openReceiver(databaseUrl: string, random: Random): Promise<WebhookReceiver> {
  const receiver = await openWebhookReceiver();
  const pool = new pg.Pool({ connectionString: databaseUrl });
  pool.on('error', () => {});
  onTestFinished(async () => {
    await receiver.close();
    await pool.end();
  });
  receiver.answer = moody(random);
  // While the database is down, nobody can look.
  receiver.lookAtLine = (id) => firstInSharedLine(pool, id).catch(() => undefined);
  return receiver;
}

function onEachLedger({ network }: TestSandbox, listener: () => void): void {
  const { closeLedger } = network;
  network.closeLedger = () => {
    closeLedger();
    listener();
  };
}

/** Each open entry holds its authorization for its account, and nothing else does. */
const MISHELD = `
  SELECT coalesce(o."authorization", f."authorization") AS "authorization"
  FROM (SELECT DISTINCT "authorization", submitter FROM facilitator.entry WHERE status IS NULL) AS o
  FULL JOIN facilitator.in_flight AS f ON o."authorization" = f."authorization" AND o.submitter = f.submitter
  WHERE o."authorization" IS NULL OR f."authorization" IS NULL`;

/** No ledger closes meanwhile: what was sent before is in the database, what ends later is not on a ledger. */
async function lookAt(
  sandbox: TestSandbox,
  databaseUrl: string,
  observer: Observer,
  setRows: (rows: JournalRow[]) => void,
): Promise<Look | undefined> {
  sandbox.stopLedgers();
  try {
    const found = await readDatabase(databaseUrl).catch(() => undefined);
    if (found === undefined) return undefined;
    setRows(found.rows);
    const facts = observer.facts();
    return { facts, wrong: [...disagreements(facts), ...found.misheld] };
  } finally {
    sandbox.faults.clear();
  }
}

async function readDatabase(connectionString: string): Promise<{ rows: JournalRow[]; misheld: string[] }> {
  const limits = { connectionTimeoutMillis: READ_WITHIN_MS, query_timeout: READ_WITHIN_MS };
  const client = new pg.Client({ connectionString, ...limits });
  client.on('error', () => {});
  try {
    await client.connect();
    const held = await client.query<{ authorization: string }>(MISHELD);
    const misheld = held.rows.map(({ authorization }) => `journal: ${authorization} is held wrongly`);
    return { rows: await readSharedJournal(client), misheld };
  } finally {
    await client.end().catch(() => {});
  }
}

const killsIn = ({ lives, databaseKills }: Story): number =>
  databaseKills + lives.filter(({ end }) => end.startsWith('kill')).length;

/** Until instances and database together were killed often enough; proves each time that what is left agrees. */
async function killRepeatedly(world: World, mortal: Mortal, story: Story): Promise<void> {
  while (killsIn(story) < KILLS) {
    const life = await mortal.live();
    story.lives.push(life);
    if (life.end === 'no start') await untilDatabaseAnswers(world);
    await expectAgreement(world, story, `after ${killsIn(story)} kills: ${JSON.stringify(life)}`);
  }
}

async function expectAgreement({ look }: World, story: Story, when: string): Promise<void> {
  const seen = await endsWithin(LONGEST_STEP_MS, look(), () => `a comparison ${when}`);
  if (seen === undefined) return;
  story.looks += 1;
  expect(seen.wrong, when).toEqual([]);
}

async function untilDatabaseAnswers({ look }: World): Promise<void> {
  const answers = async (): Promise<void> => {
    while ((await look()) === undefined) await sleep(RETRY_MS);
  };
  await endsWithin(LONGEST_STEP_MS, answers(), () => 'PostgreSQL is down');
}

async function killDatabase({ postgres, random }: World, story: Story): Promise<void> {
  const killed = (): number => killsIn(story);
  for (let at = DATABASE_KILLED_EVERY - 2; ; at += DATABASE_KILLED_EVERY) {
    while (killed() < Math.min(at, KILLS)) await sleep(RETRY_MS);
    if (killed() >= KILLS) return;
    await sleep(random.next() * 2_000);
    await endsWithin(LONGEST_STEP_MS, postgres.kill(), () => 'a kill of PostgreSQL');
    story.databaseKills += 1;
    if (story.databaseKills % TOLD_EVERY === 0) console.log(`${killsIn(story)} kills`);
    await sleep(random.pick(DOWN_MS));
    await endsWithin(LONGEST_STEP_MS, postgres.start(), () => 'a start of PostgreSQL');
  }
}

/** Sellers ask whichever instances listen. */
async function sell({ mortals, sellers, random }: World, goesOn: () => boolean): Promise<void> {
  const listening = (): string[] => mortals.flatMap((mortal) => mortal.url() ?? []);
  const urlOf = (): string => random.pick(listening());
  const askOn = async (): Promise<void> => {
    while (goesOn()) {
      if (listening().length > 0)
        await endsWithin(LONGEST_STEP_MS, sellers.askNext(urlOf), () => 'a settlement that was asked for');
      await sleep(RETRY_MS);
    }
  };
  await Promise.all(Array.from({ length: SELLERS }, askOn));
}

interface Ended {
  readonly facts: Facts;
  readonly listings: readonly DiscoveryResource[];
}

/** Starts all for the last time, lets all come to its end, and proves that everything agrees. */
async function finish(world: World): Promise<Ended> {
  const { mortals, sellers, random, receiver, look } = world;
  receiver.answer = () => ({ status: 200 });
  const urls = await Promise.all(mortals.map((mortal) => mortal.start()));
  await endsWithin(
    LONGEST_STEP_MS,
    sellers.askUnanswered(() => random.pick(urls)),
    () => 'the last settlements',
  );
  const deadlineMs = performance.now() + MAX_WAIT_FOR_ENDS_MS;
  let last = await look();
  const isOver = (): boolean =>
    last?.facts.journal.every(
      ({ status, isListingDue, hasEvent }) => status !== null && !isListingDue && !hasEvent,
    ) === true;
  while (!isOver() && performance.now() < deadlineMs) {
    await sleep(500);
    last = await look();
  }
  const { facts, wrong } = last!;
  expect(wrong).toEqual([]);
  const first = await readListings(urls[0]!);
  expect(disagreementsAtTheEnd(facts, first)).toEqual([]);
  for (const url of urls) {
    await expect.poll(() => readListings(url)).toEqual(first);
    expect(await search(url)).toEqual(await search(urls[0]!));
  }
  for (const mortal of mortals) await mortal.stop();
  return { facts, listings: first };
}

/** Reads all pages that a search has, each with its cursor. */
async function search(url: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let cursor = ''; ;) {
    const query = new URLSearchParams({ query: 'number 1', limit: '20', ...(cursor && { cursor }) });
    const response = await fetch(`${url}/discovery/search?${query.toString()}`);
    const page = (await response.json()) as { pagination: { cursor: string | null } };
    pages.push(page);
    if (response.status !== 200 || page.pagination.cursor === null) return pages;
    cursor = page.pagination.cursor;
  }
}

function storyOf({ lives, databaseKills, looks }: Story, { facts, listings }: Ended): string {
  const { payments, journal, ledger } = facts;
  const ends = (end: Life['end']): number => lives.filter((life) => life.end === end).length;
  const answers = payments.flatMap((payment) => payment.answers);
  const reasons = Map.groupBy(answers, ({ body }) => (body.success ? 'settled' : body.errorReason));
  return [
    `${lives.length} lives: ${ends('kill')} killed, ${ends('kill while paused')} killed while paused,`,
    `${ends('stop')} stopped, ${ends('no start')} without the database at their start;`,
    `${lives.filter(({ wasListening }) => !wasListening).length} ended while starting,`,
    `${lives.filter(({ pausedMs }) => pausedMs > 0).length} were paused,`,
    `${lives.filter(({ pausedMs }) => pausedMs > 8_000).length} of them for longer than a lease;`,
    `PostgreSQL killed ${databaseKills} times; compared ${looks} times;`,
    `${payments.length} payments, asked for ${payments.reduce((sum, { asked }) => sum + asked, 0)} times;`,
    `answers: ${[...reasons].map(([reason, { length }]) => `${length} ${reason}`).join(', ')};`,
    `${journal.length} transactions journaled, ${ledger.length} on the ledger,`,
    `${ledger.filter(({ status }) => status === 'failed').length} of them failed; ${listings.length} listings;`,
    `${facts.arrivals!.length} webhooks arrived,`,
    `${facts.arrivals!.filter(({ firstInLine }) => firstInLine !== undefined).length} of them looked at in their line`,
  ].join(' ');
}
