import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pruneAnswers } from '../../src/journal/answers/postgres.ts';
import { openJournal, type CallerKey, type Journal } from '../../src/journal/index.ts';
import { JOURNAL_LIMITS } from '../../src/journal/limits.ts';
import { UNLIMITED_BUDGET } from '../../src/scheme/index.ts';
import { createDatabase } from '../../src/store/postgres.ts';
import { migrate } from '../../src/store/postgresMigrations.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { silent } from '../support/service.ts';
import { entry, hashOf, included, openStoreOn, stores } from './stores.ts';

const key = (caller: string, name: string, bodyHash = 'a body'): CallerKey => ({
  caller,
  keyHash: name,
  bodyHash,
});
const ANSWER = '{"status":200}';

/** Opens the nth transaction for a key. */
const openFor = (journal: Journal, nth: number, { caller, ...named }: CallerKey) =>
  journal.open(entry(nth, { key: named, budget: { ...UNLIMITED_BUDGET, caller } }), () => true);

describe.each(stores)('in %s', (_name, isShared) => {
  async function open(): Promise<Journal> {
    const store = await openStoreOn(isShared ? postgres : undefined);
    onTestFinished(() => store.close());
    return store.journal;
  }

  test('a key stands for one body', async () => {
    const journal = await open();
    expect(await openFor(journal, 1, key('a', 'k'))).toBe('open');
    expect(await openFor(journal, 2, key('a', 'k', 'another'))).toBe('key taken');
    expect(await openFor(journal, 3, key('b', 'k', 'another'))).toBe('open');
    expect(await journal.records.withHash(hashOf(2))).toBeUndefined();
  });

  test('nothing is sent under a key that has its answer', async () => {
    const journal = await open();
    await openFor(journal, 1, key('a', 'k'));
    expect(await journal.answers.keep(key('a', 'k'), ANSWER, false)).toBe(ANSWER);
    expect(await openFor(journal, 2, key('a', 'k'))).toBe('key taken');
  });

  test('the first answer counts, but a payment that settled outweighs a refusal', async () => {
    const journal = await open();
    const { answers } = journal;
    await openFor(journal, 1, key('a', 'k'));
    expect(await answers.keep(key('a', 'k'), 'refused', false)).toBe('refused');
    expect(await answers.keep(key('a', 'k'), 'refused again', false)).toBe('refused');
    expect(await answers.keep(key('a', 'k'), 'settled', true)).toBe('settled');
    expect(await answers.keep(key('a', 'k'), 'settled again', true)).toBe('settled');
    expect(await answers.find(key('a', 'k'))).toMatchObject({ answer: 'settled' });
  });

  test('a key finds only what was sent under it', async () => {
    const journal = await open();
    const authorization = 'GPAYER:1';
    await openFor(journal, 1, key('a', 'k'));
    journal.close(hashOf(1), { state: 'expired' });
    await expect.poll(() => journal.open(entry(2, { authorization }), () => true)).toBe('open');
    journal.close(hashOf(2), included(71));
    await expect
      .poll(() => journal.answers.find(key('a', 'k')))
      .toMatchObject({ record: { hash: hashOf(1), status: 'expired' } });
  });

  test('a key that was opened in vain is free', async () => {
    const journal = await open();
    const limited = { caller: 'a', callerStroops: 1, serviceStroops: undefined };
    const named = { keyHash: 'k', bodyHash: 'a body' };
    expect(await journal.open(entry(1, { key: named, budget: limited }), () => true)).toBe(
      'budget exhausted',
    );
    expect(await journal.answers.find(key('a', 'k'))).toBeUndefined();
  });
});

test('nothing is sent for a key that a locked file cannot take', async () => {
  const path = join(temporaryFolder(), 'journal.db');
  const journal = openJournal({ path, log: silent });
  onTestFinished(() => journal.end());
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(await openFor(journal, 1, key('a', 'k'))).toBe('unavailable');
  expect(journal.open(entry(2))).toBe('open');
});

const LIMITS = { answerHoursKept: 24, answersKept: { perCaller: 3, inAll: 4 } };
const FLOOD = ['flood 1', 'flood 2', 'flood 3', 'flood 4', 'flood 5'];

describe('beyond the limits, the oldest answers go of the caller that has most', () => {
  const expected = (caller: string, name: string): boolean => caller === 'quiet' || name > 'flood 2';

  test('in a file, which also forgets them after a day', async () => {
    let nowMs = 0;
    const limits = { ...LIMITS, pruneEvery: 1 };
    const journal = openJournal({ path: ':memory:', log: silent, now: () => nowMs, limits });
    onTestFinished(() => journal.end());
    const keys = [key('quiet', 'k'), ...FLOOD.map((name) => key('flood', name))];
    for (const [nth, one] of keys.entries()) {
      await openFor(journal, nth, one);
      journal.close(hashOf(nth), included(71));
    }
    for (const one of keys)
      expect((await journal.answers.find(one)) !== undefined).toBe(expected(one.caller, one.keyHash));
    nowMs = 24 * 3_600_000;
    expect(await journal.answers.find(keys[0]!)).toBeUndefined();
  });

  test.skipIf(binaries === undefined)('in a database', async () => {
    const db = createDatabase({ url: await postgres.database(), log: silent });
    onTestFinished(() => db.close());
    await migrate(db);
    const insert = `INSERT INTO facilitator.keyed_answer (caller, key_hash, body_hash, "authorization", created_at)
      VALUES ($1, $2, '', '', clock_timestamp() - make_interval(hours => $3))`;
    await db.query(insert, ['old', randomUUID(), 24]);
    await db.query(insert, ['quiet', 'k', 0]);
    for (const name of FLOOD) await db.query(insert, ['flood', name, 0]);
    await pruneAnswers(db, { ...JOURNAL_LIMITS, ...LIMITS });
    const left = await db.query('SELECT caller, key_hash FROM facilitator.keyed_answer ORDER BY id');
    expect(left.map((row) => row['key_hash'])).toEqual(['k', 'flood 3', 'flood 4', 'flood 5']);
  });
});

test.skipIf(binaries === undefined)(
  'a key whose day is over is free at once, also in a database',
  async () => {
    const url = await postgres.database();
    const { journal, close } = await openStoreOn({ ...postgres, database: async () => url });
    const db = createDatabase({ url, log: silent });
    onTestFinished(async () => {
      await close();
      await db.close();
    });
    const { answers } = journal;
    const old = key('a', 'k');
    await openFor(journal, 1, old);
    await answers.keep(old, ANSWER, true);
    await db.query("UPDATE facilitator.keyed_answer SET created_at = created_at - interval '24 hours'");
    const reused = key('a', 'k', 'another');
    expect(await answers.find(reused)).toBeUndefined();
    expect(await openFor(journal, 2, reused)).toBe('open');
    expect(await answers.find(reused)).toMatchObject({ bodyHash: 'another', answer: undefined });
  },
);
