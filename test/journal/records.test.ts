import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RESOURCE_LIMIT_CHARS } from '../../src/journal/limits.ts';
import { createRecords } from '../../src/journal/records/records.ts';
import type { RecordFilters } from '../../src/journal/records/record.ts';
import { selectPage } from '../../src/journal/records/select.ts';
import { SQLITE_RECORDS } from '../../src/journal/records/sqlite.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { UNLIMITED_BUDGET, type JournalEntry, type Outcome } from '../../src/scheme/index.ts';
import { binaries } from '../postgres/server.ts';
import { postgres } from '../postgres/shared.ts';
import { entry, hashOf, included, openStoreOn, stores, SUBMITTER, type Store } from './stores.ts';

if (binaries === undefined) console.log('skipped: records in a database, as this machine has no PostgreSQL');

describe.each(stores)('records in %s', (_name, isShared) => {
  const openStore = (): Promise<Store> => openStoreOn(isShared ? postgres : undefined);

  const mayStillSend = (): boolean => true;

  async function hashesOf({ journal }: Store, filters: RecordFilters, limit = 100): Promise<string[]> {
    const hashes: string[] = [];
    for (let next: string | undefined, turns = 0; ; turns += 1) {
      const page = await journal.records.page(filters, limit, next);
      hashes.push(...page!.records.map(({ hash }) => hash));
      next = page!.next;
      if (next === undefined || turns > 100) return hashes;
    }
  }

  test('tell a settlement from its question to its listing', async () => {
    const store = await openStore();
    const { journal } = store;
    expect(await journal.open(entry(1, { listing: '{}' }), mayStillSend)).toBe('open');
    const pending = await journal.records.withHash(hashOf(1));
    expect(pending).toMatchObject({ status: 'pending', ledger: undefined, listing: undefined });
    journal.close(hashOf(1), included(71));
    await store.settled();
    expect(await journal.records.withHash(hashOf(1))).toMatchObject({ status: 'settled', listing: 'due' });
    journal.listed(hashOf(1), 'rejected');
    await expect.poll(async () => (await journal.records.withHash(hashOf(1)))?.listing).toBe('rejected');
    const record = (await journal.records.withHash(hashOf(1)))!;
    const { askedAt, verifiedAt, sentAt, endedAt, listedAt, ...facts } = record;
    expect(facts).toEqual({
      hash: hashOf(1),
      status: 'settled',
      payer: 'GPAYER',
      payTo: 'GSHOP',
      amount: '10000',
      asset: 'CASSET',
      resource: 'https://shop.example/weather',
      caller: 'anonymous',
      requestId: 'request-1',
      code: undefined,
      message: undefined,
      result: 'txSuccess',
      submitter: SUBMITTER,
      bidStroops: 23_200,
      feeStroops: 22_000,
      ledger: 71,
      closedAt: new Date(1_780_000_071_000),
      listing: 'rejected',
    });
    expect(sentAt.getTime() - askedAt!.getTime()).toBeCloseTo(3_000, -1);
    expect(sentAt.getTime() - verifiedAt!.getTime()).toBeCloseTo(1_000, -1);
    expect(endedAt!.getTime()).toBeGreaterThanOrEqual(sentAt.getTime());
    expect(listedAt!.getTime()).toBeGreaterThanOrEqual(endedAt!.getTime());
    await store.close();
  });

  test.each<[string, Outcome, object]>([
    [
      'failed',
      included(71, 'failed'),
      { code: 'settle_exact_stellar_transaction_failed', result: 'txFailed', feeStroops: 22_000 },
    ],
    ['expired', { state: 'expired' }, { code: 'settle_exact_stellar_transaction_failed' }],
    ['forgotten', { state: 'forgotten' }, { code: 'settle_exact_stellar_transaction_failed' }],
    [
      'rejected',
      { state: 'rejected', reason: 'txBadSeq' },
      { code: 'settle_exact_stellar_transaction_submission_failed', result: 'txBadSeq' },
    ],
  ])('say why one did not settle: %s', async (status, outcome, facts) => {
    const store = await openStore();
    await store.journal.open(entry(1), mayStillSend);
    store.journal.close(hashOf(1), outcome);
    await store.settled();
    const record = await store.journal.records.withHash(hashOf(1));
    expect(record).toMatchObject({ status, ...facts });
    expect(record!.message).toContain(hashOf(1));
    await store.close();
  });

  test('keep no text longer than its limit, and no NUL', async () => {
    const store = await openStore();
    const resource = `https://shop.example/\0${'x'.repeat(2 * RESOURCE_LIMIT_CHARS)}`;
    await store.journal.open(entry(1, { resource, requestId: 'r'.repeat(1_000) }), mayStillSend);
    const record = await store.journal.records.withHash(hashOf(1));
    expect(record!.resource).toHaveLength(RESOURCE_LIMIT_CHARS);
    expect(record!.resource).toContain('\ufffd');
    expect(record!.requestId).toHaveLength(128);
    await store.close();
  });

  test('keep the place and the times of one that is opened again while somebody pages through them', async () => {
    const store = await openStore();
    const { journal } = store;
    for (const nth of [1, 2, 3]) await journal.open(entry(nth), mayStillSend);
    const before = await journal.records.withHash(hashOf(1));
    const newest = (await journal.records.page({}, 1))!;
    journal.close(hashOf(1), { state: 'rejected', reason: 'txBadSeq' });
    await expect.poll(async () => (await journal.records.withHash(hashOf(1)))?.status).toBe('rejected');
    await journal.open(entry(1, { requestId: 'again', askedAgoMs: 0, verifiedAgoMs: 0 }), mayStillSend);
    const others = (await journal.records.page({}, 10, newest.next))!;
    expect([...newest.records, ...others.records].map(({ hash }) => hash)).toEqual([3, 2, 1].map(hashOf));
    expect(others.records.at(-1)).toEqual({ ...before, requestId: 'again' });
    await store.close();
  });

  describe('pages', () => {
    let store: Store;
    /** Of 30, each third fails; they pay for two payers, two shops and two callers. */
    const changesOf = (nth: number): Partial<JournalEntry> => ({
      payer: nth % 2 === 0 ? 'GEVEN' : 'GODD',
      payTo: nth % 5 === 0 ? 'GFIVE' : 'GSHOP',
      asset: nth % 7 === 0 ? 'CSEVEN' : 'CASSET',
      budget: { ...UNLIMITED_BUDGET, caller: nth % 4 === 0 ? 'key:four' : 'anonymous' },
    });
    const all = Array.from({ length: 30 }, (_, nth) => nth);
    const hashes = (isOf: (nth: number) => boolean): string[] => all.filter(isOf).toReversed().map(hashOf);

    beforeAll(async () => {
      store = await openStore();
      for (const nth of all) {
        await store.journal.open(entry(nth, changesOf(nth)), mayStillSend);
        if (nth !== 29) store.journal.close(hashOf(nth), included(nth, nth % 3 === 0 ? 'failed' : 'applied'));
      }
      await vi.waitUntil(
        async () => (await store.journal.records.page({ status: 'pending' }, 100))?.records.length === 1,
        { timeout: 10_000 },
      );
    });
    afterAll(() => store.close());

    test.each([1, 4, 29, 30, 100])('of %i records visit each once, newest first', async (limit) => {
      expect(await hashesOf(store, {}, limit)).toEqual(hashes(() => true));
    });

    test.each<[string, RecordFilters, (nth: number) => boolean]>([
      ['payer', { payer: 'GODD' }, (nth) => nth % 2 === 1],
      ['recipient', { payTo: 'GFIVE' }, (nth) => nth % 5 === 0],
      ['asset', { asset: 'CSEVEN' }, (nth) => nth % 7 === 0],
      ['caller', { caller: 'key:four' }, (nth) => nth % 4 === 0],
      ['status', { status: 'failed' }, (nth) => nth % 3 === 0],
      ['success', { status: 'settled' }, (nth) => nth % 3 !== 0 && nth !== 29],
      ['pending', { status: 'pending' }, (nth) => nth === 29],
      ['code', { code: 'settle_exact_stellar_transaction_failed' }, (nth) => nth % 3 === 0],
      ['all', { payer: 'GEVEN', payTo: 'GSHOP', status: 'failed' }, (nth) => nth % 6 === 0 && nth % 5 !== 0],
      ['none', { payer: 'GNOBODY', status: 'settled' }, () => false],
    ])('are filtered by %s', async (_what, filters, isOf) => {
      expect(await hashesOf(store, filters)).toEqual(hashes(isOf));
      expect(await hashesOf(store, filters, 2)).toEqual(hashes(isOf));
    });

    test('are filtered by the time at which they were sent', async () => {
      const { sentAt } = (await store.journal.records.withHash(hashOf(15)))!;
      const before = await hashesOf(store, { until: sentAt });
      const after = await hashesOf(store, { since: sentAt });
      expect([...after, ...before]).toEqual(hashes(() => true));
      expect(await hashesOf(store, { since: sentAt, until: sentAt })).toEqual([]);
    });

    test('refuse a cursor that is not theirs', async () => {
      const { records } = store.journal;
      const forged = [
        '1 2; DROP',
        '2026-99-99T99:99:99Z 1',
        '- 1',
        `1 ${'9'.repeat(19)}`,
        `${'9'.repeat(18)} 1`,
      ];
      for (const cursor of ['', 'x', ...forged.map((text) => Buffer.from(text).toString('base64url'))])
        expect(await records.page({}, 10, cursor), cursor).toBeUndefined();
      const far = Buffer.from(`${'9'.repeat(17)} ${'9'.repeat(18)}`).toString('base64url');
      expect((await records.page({}, 100, far))!.records).toHaveLength(30);
    });

    test('count what each of the latest ledgers took', async () => {
      const totals = await store.journal.records.latestLedgers(3);
      expect(totals.map(({ ledger, settled, failed }) => [ledger, settled, failed])).toEqual([
        [28, 1, 0],
        [27, 0, 1],
        [26, 1, 0],
      ]);
      expect(totals[0]!.closedAt).toEqual(new Date(1_780_000_028_000));
    });

    test('know the fees that count today', async () => {
      expect(await store.journal.feesToday()).toMatchObject({ all: 29 * 22_000 + 23_200 });
    });
  });
});

test('a page looks at no more rows than it may, and goes on from there', async () => {
  const db = openJournalFile(':memory:');
  const insert = db.prepare(
    `INSERT INTO entry (hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops,
       total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, asset, status)
     VALUES (?, ?, 'G', 'G:1', 'G', '1', 1, 1, 1, 1, 1, ?, 'success')`,
  );
  for (let nth = 0; nth < 1_000; nth += 1) insert.run(hashOf(nth), nth, nth === 10 ? 'CRARE' : 'CASSET');
  const query = (statement: string, values: readonly (string | number)[]) =>
    db.prepare(statement).all(...values);
  const records = createRecords({ ...SQLITE_RECORDS, query, scannedLimit: 300 });
  const seen: number[] = [];
  for (let next: string | undefined; ;) {
    const page = (await records.page({ asset: 'CRARE' }, 10, next))!;
    seen.push(page.records.length);
    next = page.next;
    if (next === undefined) break;
  }
  expect(seen).toEqual([0, 0, 0, 1]);
  db.close();
});

test('pending ones are found at once, however many others are newer', async () => {
  const db = openJournalFile(':memory:');
  const insert = db.prepare(
    `INSERT INTO entry (hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops,
       total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, caller, status)
     VALUES (?, ?, 'G', 'G:1', 'G', '1', 1, 1, 1, 1, 1, 'anonymous', ?)`,
  );
  for (let nth = 0; nth < 1_000; nth += 1) insert.run(hashOf(nth), nth, nth === 10 ? null : 'failed');
  const query = (statement: string, values: readonly (string | number)[]) =>
    db.prepare(statement).all(...values);
  const records = createRecords({ ...SQLITE_RECORDS, query, scannedLimit: 300 });
  for (const filters of [{}, { caller: 'anonymous' }, { payer: 'G' }] as const) {
    const page = (await records.page({ ...filters, status: 'pending' }, 10))!;
    expect(page.records.map(({ hash }) => hash)).toEqual([hashOf(10)]);
  }
  db.close();
});

test('a page begins where the one before it ended, whatever the filters', () => {
  const db = openJournalFile(':memory:');
  const [since, until] = [new Date(0), new Date(9_000)];
  const page = { limit: 51, scanned: 300, after: { openedAt: '5000', id: '7' } };
  for (const filters of [{}, { until }, { since, until }, { payer: 'G', until }, { code: 'c', until }]) {
    const { statement, values } = selectPage(filters, page, SQLITE_RECORDS.dialect).page;
    const scanned = statement.slice(0, statement.indexOf('LIMIT'));
    expect(scanned.match(/opened_at, id\) </g)).toHaveLength(1);
    expect(scanned).not.toMatch(/ opened_at < /);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...values);
    expect(plan.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/SEARCH entry USING INDEX .*opened_at<\?/),
    );
  }
  db.close();
});

test('the latest ledgers are counted without reading all others', () => {
  const db = openJournalFile(':memory:');
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${SQLITE_RECORDS.latestLedgers}`).all(60);
  const steps = plan.map(({ detail }) => String(detail)).filter((step) => step.includes(' entry'));
  expect(steps).toHaveLength(2);
  for (const step of steps) expect(step).toMatch(/^SEARCH entry USING COVERING INDEX entry_closed/);
  db.close();
});
