import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openJournal, type SqliteJournal } from '../../src/journal/index.ts';
import {
  JOURNAL_LIMITS,
  LISTING_LIMIT_BYTES,
  LOG_LIMIT_BYTES,
  type JournalLimits,
} from '../../src/journal/limits.ts';
import { UNLIMITED_BUDGET, type JournalEntry } from '../../src/scheme/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

/** As docs/operator-reference.md says: an entry without its listing, with all that the file needs for it. */
const ENTRY_BYTES = 3_328;
/** The same for an event. */
const EVENT_BYTES = 4_608;
const MIB = 1024 * 1024;

const said: { fields: Record<string, unknown>; message: string }[] = [];
const log = {
  error: (fields: object, message: string) => void said.push({ fields: { ...fields }, message }),
};

/** Every fact as long as it can be. */
function entry(nth: number, listing?: string): JournalEntry {
  const address = 'M'.padEnd(69, 'A');
  return {
    hash: (nth * 2_654_435_761).toString(16).padStart(64, '0'),
    listing,
    payTo: address,
    amount: 2n ** 127n - 1n,
    asset: 'C'.padEnd(56, 'A'),
    resource: '€'.repeat(10_000),
    requestId: 'x'.repeat(10_000),
    askedAgoMs: 80_000,
    verifiedAgoMs: 80_000,
    isStellarAsset: true,
    payer: address,
    party: address,
    authorization: `${address}:${-(2n ** 63n)}`,
    submitter: 'G'.padEnd(56, 'A'),
    sequence: 2n ** 63n - 1n,
    bid: { inclusionStroops: 4_294_967_295, totalStroops: 4_294_967_295 },
    budget: UNLIMITED_BUDGET,
    sent: {
      validity: { maxTimeSeconds: 4_000_000_000, lastLedger: 4_294_967_295 },
      sentInLedger: 4_294_967_295,
    },
  };
}
const hashOf = (nth: number): string => entry(nth).hash;

const success = {
  state: 'applied',
  ledger: 4_294_967_295,
  closedAtSeconds: 4_000_000_000,
  feeChargedStroops: 4_294_967_295,
  result: 'txSuccess',
} as const;
const ENDS = [
  { state: 'rejected', reason: 'x'.repeat(10_000) },
  { ...success, state: 'failed', result: 'x'.repeat(10_000) },
  { state: 'expired' },
  { state: 'forgotten' },
] as const;

interface Opened {
  journal: SqliteJournal;
  path: string;
  /** Of the file and of the log beside it. */
  bytes(): number;
  listings(): unknown;
}

function open(limits: Partial<JournalLimits> = {}, hasEvents = false): Opened {
  const path = join(temporaryFolder(), 'settlements.db');
  const journal = openJournal({ path, log, limits, hasEvents });
  said.length = 0;
  return {
    journal,
    path,
    bytes: () => statSync(path).size + statSync(`${path}-wal`).size,
    listings() {
      const db = new DatabaseSync(path, { readOnly: true });
      const rows = db.prepare('SELECT hash FROM entry WHERE listing IS NOT NULL ORDER BY id').all();
      db.close();
      return rows.map(({ hash }) => hash);
    },
  };
}

const text = (bytes: number): string => 'x'.repeat(bytes);

describe('of a payment that did not settle, only the facts stay', () => {
  test.each(ENDS)('$status', (end) => {
    const { journal, path, listings } = open();
    journal.open(entry(1, text(60_000)));
    expect(listings()).toEqual([hashOf(1)]);
    journal.close(hashOf(1), end);
    expect(listings()).toEqual([]);
    const db = new DatabaseSync(path, { readOnly: true });
    const row = Object.values(db.prepare('SELECT * FROM entry').get()!);
    db.close();
    expect(row.join().length).toBeLessThan(ENTRY_BYTES);
    journal.end();
  });
});

test('a listing that is larger than any that the catalog takes is not kept', () => {
  const { journal, listings } = open();
  journal.open(entry(1, text(LISTING_LIMIT_BYTES)));
  journal.open(entry(2, text(LISTING_LIMIT_BYTES + 1)));
  journal.open(entry(3, 'é'.repeat(LISTING_LIMIT_BYTES / 2 + 1)));
  expect(listings()).toEqual([hashOf(1)]);
  journal.end();
});

describe('the file stays within its bound', () => {
  const limits = {
    entriesKept: 500,
    pruneEvery: 50,
    unlistedKept: 300,
    unlistedBytes: MIB,
    pruneEveryBytes: MIB / 4,
  };
  const bound =
    (limits.entriesKept + limits.pruneEvery + limits.unlistedKept) * ENTRY_BYTES +
    1.25 * (limits.unlistedBytes + limits.pruneEveryBytes) +
    LOG_LIMIT_BYTES;

  test('whatever fails', () => {
    const { journal, bytes } = open(limits);
    for (let nth = 0; nth < 3 * limits.entriesKept; nth += 1) {
      journal.open(entry(nth, nth % 20 === 0 ? text(LISTING_LIMIT_BYTES) : undefined));
      journal.close(hashOf(nth), ENDS[nth % ENDS.length]!);
      if (nth % 100 === 0) expect(bytes()).toBeLessThan(bound);
    }
    expect(said).toEqual([]);
    journal.end();
  });

  test.each([
    ['large', 90_000],
    ['small', 1_000],
  ])(
    'while the catalog takes none of the %s listings that are due; the oldest are given up, and the log says so',
    (_size, size) => {
      const { journal, bytes } = open(limits);
      const count = 3 * Math.max(limits.unlistedKept, limits.unlistedBytes / size) + limits.entriesKept;
      for (let nth = 0; nth < count; nth += 1) {
        journal.open(entry(nth, text(size)));
        journal.close(hashOf(nth), success);
        if (nth % 100 === 0) expect(bytes()).toBeLessThan(bound);
      }
      const due = journal.unlisted();
      expect(due).toContain(hashOf(Math.ceil(count) - 1));
      expect(due).not.toContain(hashOf(0));
      const givenUp = said.filter(({ message }) =>
        /^listings are lost: .* listed at its next sale/.test(message),
      );
      const lost = givenUp.reduce((sum, { fields }) => sum + Number(fields['listings']), 0);
      expect(lost + due.length).toBe(Math.ceil(count));
      // What was given up is history, like any other.
      for (const hash of due) journal.listed(hash, 'success');
      expect(journal.unlisted()).toEqual([]);
      journal.end();
    },
  );

  test('and by the real limits within the 448 MiB that are documented', () => {
    const { journal, bytes } = open();
    const before = bytes();
    const count = 5_000;
    for (let nth = 0; nth < count; nth += 1) {
      journal.open(entry(nth));
      journal.close(hashOf(nth), ENDS[nth % ENDS.length]!);
    }
    const eachBytes = (bytes() - before) / count;
    journal.end();
    const { entriesKept, pruneEvery, unlistedKept, unlistedBytes, pruneEveryBytes } = JOURNAL_LIMITS;
    const entriesBytes = (entriesKept + pruneEvery + unlistedKept) * eachBytes;
    expect(entriesBytes + 1.25 * (unlistedBytes + pruneEveryBytes) + LOG_LIMIT_BYTES).toBeLessThan(448 * MIB);
  });

  test('while no receiver takes its events: the oldest become dead letters and then go, and the log says so', () => {
    const eventLimits = { eventsKept: 300, deadEventsKept: 100 };
    const { journal, path, bytes } = open({ ...limits, ...eventLimits }, true);
    const eventsBound = (300 + 100 + limits.pruneEvery) * EVENT_BYTES;
    const count = 3 * limits.entriesKept;
    for (let nth = 0; nth < count; nth += 1) {
      journal.open({ ...entry(nth), payTo: `G${nth % 7}`.padEnd(56, 'A') });
      journal.close(hashOf(nth), nth % 2 === 0 ? success : ENDS[1]);
      if (nth % 100 === 0) expect(bytes()).toBeLessThan(bound + eventsBound);
    }
    const state = journal.events!.state();
    expect(state).toMatchObject({ pending: 300, dead: 100 });
    const givenUp = said.filter(({ message }) => /^webhooks are given up: /.test(message));
    const total = givenUp.reduce((sum, { fields }) => sum + Number(fields['events']), 0);
    expect(total).toBe(count - 300);
    // Each recipient's line goes on with the oldest that is left.
    const claimed = journal.events!.claim(100, 60_000) as { id: string }[];
    const oldest = Array.from({ length: 7 }, (_, nth) => hashOf(count - 300 + nth));
    expect(claimed.map(({ id }) => id.split('_')[1]).toSorted()).toEqual(oldest.toSorted());
    expect(journal.events!.deadLetters(1)).toMatchObject({
      letters: [{ failure: 'too many events were waiting' }],
    });
    journal.end();
    const db = new DatabaseSync(path, { readOnly: true });
    const old = db.prepare('SELECT count(*) AS n FROM event WHERE attempts > 1').get();
    expect(old).toEqual({ n: 0 });
    db.close();
  });

  test('and by the real limits its events within the 272 MiB that are documented', () => {
    const { journal, bytes } = open({}, true);
    const count = 2_000;
    const fill = (from: number, isTold: boolean): number => {
      const before = bytes();
      for (let nth = from; nth < from + count; nth += 1) {
        journal.open(entry(nth));
        journal.close(
          hashOf(nth),
          isTold ? { ...success, state: 'failed', result: 'x'.repeat(10_000) } : ENDS[0],
        );
      }
      return bytes() - before;
    };
    fill(0, true);
    const eventBytes = (fill(count, true) - fill(2 * count, false)) / count;
    journal.end();
    const { eventsKept, deadEventsKept, pruneEvery } = JOURNAL_LIMITS;
    expect(eventBytes).toBeLessThan(EVENT_BYTES);
    expect((eventsKept + deadEventsKept + pruneEvery) * EVENT_BYTES).toBeLessThan(272 * MIB);
  });
});

test('without webhooks no event is stored', () => {
  const { journal, path } = open();
  journal.open(entry(1));
  journal.close(hashOf(1), success);
  journal.end();
  const db = new DatabaseSync(path, { readOnly: true });
  expect(db.prepare('SELECT count(*) AS n FROM event').get()).toEqual({ n: 0 });
  db.close();
});
