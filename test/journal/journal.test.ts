import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import { UNLIMITED_BUDGET, type JournalEntry } from '../../src/scheme/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ASKED } from './entries.ts';

const errors: string[] = [];
const log = { error: (_fields: object, message: string) => void errors.push(message) };

const LISTING = '{"what":"a listing is made from"}';
const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');

function entry(nth: number, listing?: string): JournalEntry {
  return {
    ...ASKED,
    hash: hashOf(nth),
    listing,
    isStellarAsset: true,
    payer: 'GPAYER',
    party: 'GPAYER',
    authorization: `GPAYER:${nth}`,
    submitter: 'GSUBMITTER',
    sequence: 2n ** 60n + BigInt(nth),
    bid: { inclusionStroops: 200, totalStroops: 23_200 },
    budget: UNLIMITED_BUDGET,
    sent: { validity: { maxTimeSeconds: 1_780_000_000, lastLedger: 77 }, sentInLedger: 70 },
  };
}

const success = {
  state: 'applied',
  ledger: 71,
  closedAtSeconds: 1_780_000_000,
  feeChargedStroops: 22_000,
  result: 'txSuccess',
} as const;
const FACTS = { ledgerClose: { ledger: 71, seconds: 1_780_000_000 }, isStellarAsset: true };
const open = (path: string) => openJournal({ path, log });

describe('an entry', () => {
  test('is open until its end is written, and survives the process', () => {
    const path = join(temporaryFolder(), 'settlements.db');
    const first = open(path);
    first.open(entry(1));
    first.open(entry(2));
    first.close(hashOf(1), success);
    first.end();
    const { hash, payer, party, authorization, submitter, sequence, bid, sent } = entry(2);
    const { payTo, amount, asset, resource, requestId, budget } = entry(2);
    const left = { hash, payer, party, authorization, submitter, sequence, bid, sent };
    const facts = { payTo, amount: String(amount), asset, resource, requestId, caller: budget.caller };
    const second = open(path);
    const ages = { ageMs: expect.any(Number), askedAgoMs: expect.any(Number) };
    expect(second.unended()).toEqual([{ ...left, ...facts, ...ages }]);
    second.close(hashOf(2), { state: 'expired' });
    expect(second.unended()).toEqual([]);
    second.end();
  });

  test('counts for the caller that opened it last', () => {
    const path = join(temporaryFolder(), 'settlements.db');
    const journal = open(path);
    for (const caller of ['key:a', 'key:b']) {
      const budget = { caller, callerStroops: 50_000, serviceStroops: undefined };
      expect(journal.open({ ...entry(1), budget })).toBe('open');
    }
    using db = new DatabaseSync(path, { readOnly: true });
    const totals = db.prepare('SELECT name, stroops FROM fee_total ORDER BY name').all();
    expect(totals.map(({ name, stroops }) => [String(name).split(' ')[0], stroops])).toEqual([
      ['key:a', 0],
      ['key:b', 23_200],
      ['service', 23_200],
    ]);
    journal.end();
  });

  test('is open again when the very same transaction is sent again, which was rejected before', () => {
    const journal = open(':memory:');
    journal.open(entry(1, LISTING));
    journal.close(hashOf(1), { state: 'rejected', reason: 'TRY_AGAIN_LATER' });
    journal.open(entry(1, LISTING));
    expect(journal.unended().map(({ hash }) => hash)).toEqual([hashOf(1)]);
    journal.close(hashOf(1), success);
    expect(journal.unlisted()).toEqual([hashOf(1)]);
    journal.end();
  });

  test('says what was bid and what was charged', () => {
    const path = join(temporaryFolder(), 'fees.db');
    const journal = open(path);
    journal.open(entry(1));
    journal.close(hashOf(1), success);
    journal.open(entry(2));
    journal.close(hashOf(2), { state: 'rejected', reason: 'txBadSeq' });
    journal.end();
    const db = new DatabaseSync(path);
    const rows = db.prepare('SELECT status, reason, total_bid_stroops, fee_charged_stroops FROM entry').all();
    db.close();
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['success', 'txSuccess', 23_200, 22_000],
      ['rejected', 'txBadSeq', 23_200, null],
    ]);
  });

  test('that asked for a listing keeps it until it was listed', () => {
    const journal = openJournal({ path: ':memory:', log, now: () => 1_780_000_005_000 });
    journal.open(entry(1, LISTING));
    expect(journal.unlisted()).toEqual([]);
    expect(journal.dueListing(hashOf(1))).toBeUndefined();
    journal.close(hashOf(1), success);
    expect(journal.unlisted()).toEqual([hashOf(1)]);
    expect(journal.dueListing(hashOf(1))).toMatchObject({
      listing: LISTING,
      payer: 'GPAYER',
      settledAt: new Date(1_780_000_005_000),
      ...FACTS,
    });
    journal.listed(hashOf(1), 'success');
    expect(journal.unlisted()).toEqual([]);
    expect(journal.dueListing(hashOf(1))).toBeUndefined();
    journal.end();
  });

  test('that is due is listed in the order of the ledgers, whichever was sent or learned first', () => {
    const journal = open(':memory:');
    for (const nth of [1, 2, 3, 4]) journal.open(entry(nth, LISTING));
    for (const [nth, ledger] of [
      [4, 73],
      [1, 73],
      [3, 71],
      [2, 72],
    ] as const)
      journal.close(hashOf(nth), { ...success, ledger });
    expect(journal.unlisted()).toEqual([3, 2, 1, 4].map(hashOf));
    journal.end();
  });

  test.each([
    ['failed', { ...success, state: 'failed' } as const],
    ['expired', { state: 'expired' } as const],
  ])('whose settlement ended as %s earns no listing', (_status, end) => {
    const journal = open(':memory:');
    journal.open(entry(1, LISTING));
    journal.close(hashOf(1), end);
    expect(journal.unlisted()).toEqual([]);
    journal.end();
  });

  test('that a ledger took tells of the ledgers, the latest first', () => {
    const journal = open(':memory:');
    for (const nth of [1, 2, 3]) journal.open(entry(nth));
    expect(journal.latestClose()).toBeUndefined();
    journal.close(hashOf(1), { ...success, ledger: 73, closedAtSeconds: 1_700_000_010 });
    journal.close(hashOf(2), { ...success, state: 'failed', ledger: 74, closedAtSeconds: 1_700_000_015 });
    journal.close(hashOf(3), { state: 'expired' });
    expect(journal.latestClose()).toEqual({ ledger: 74, seconds: 1_700_000_015 });
    journal.end();
  });
});

describe('a journal that fails', () => {
  test('later is logged, and throws nothing', () => {
    const journal = open(join(temporaryFolder(), 'lost.db'));
    journal.end();
    errors.length = 0;
    journal.open(entry(1));
    journal.close(hashOf(1), success);
    journal.listed(hashOf(1), 'success');
    expect(journal.unended()).toEqual([]);
    expect(journal.unlisted()).toEqual([]);
    expect(journal.dueListing(hashOf(1))).toBeUndefined();
    expect(journal.latestClose()).toBeUndefined();
    expect(errors).toHaveLength(8);
  });
});
