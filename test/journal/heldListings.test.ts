import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openJournal, type SqliteJournal } from '../../src/journal/index.ts';
import type { JournalLimits } from '../../src/journal/limits.ts';
import { UNLIMITED_BUDGET, type JournalEntry } from '../../src/scheme/index.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ASKED } from './entries.ts';

const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');
const listingOf = (nth: number): string => `{"listing":${nth}}`;

function entry(nth: number): JournalEntry {
  return {
    ...ASKED,
    hash: hashOf(nth),
    listing: listingOf(nth),
    isStellarAsset: false,
    payer: 'GPAYER',
    party: 'GPAYER',
    authorization: `GPAYER:${nth}`,
    submitter: 'GSUBMITTER',
    sequence: 1n,
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

const FACTS = {
  payer: 'GPAYER',
  ledgerClose: { ledger: success.ledger, seconds: success.closedAtSeconds },
  isStellarAsset: false,
};
const NOW_MS = 1_780_000_005_000;
const said: { message: string; listings?: number; transactions?: string[]; transaction?: string }[] = [];
const log = { error: (fields: object, message: string) => void said.push({ ...fields, message }) };
beforeEach(() => void (said.length = 0));

const failed = { ...success, state: 'failed', result: 'txFailed' } as const;

interface Scene {
  journal: SqliteJournal;
  again(): SqliteJournal;
  /** Until `free`, whatever is written fails. */
  fill(): void;
  free(): void;
}

function open(limits: Partial<JournalLimits> = {}, hasEvents = false): Scene {
  const path = join(temporaryFolder(), 'settlements.db');
  const again = (): SqliteJournal => openJournal({ path, log, limits, hasEvents, now: () => NOW_MS });
  const journal = again();
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return { journal, again, fill: () => other.exec('BEGIN IMMEDIATE'), free: () => other.exec('ROLLBACK') };
}

const lost = () => said.filter(({ message }) => message.startsWith('listings are lost: '));

test('what the file did not take is due as if it had', () => {
  const { journal, fill } = open();
  fill();
  journal.open(entry(1));
  expect([journal.unlisted(), journal.dueListing(hashOf(1))]).toEqual([[], undefined]);
  journal.close(hashOf(1), success);
  expect(journal.unlisted()).toEqual([hashOf(1)]);
  const settledAt = new Date(NOW_MS);
  expect(journal.dueListing(hashOf(1))).toEqual({ listing: listingOf(1), settledAt, ...FACTS });
  journal.listed(hashOf(1), 'success');
  expect([journal.unlisted(), journal.dueListing(hashOf(1))]).toEqual([[], undefined]);
  journal.end();
  expect(lost()).toEqual([]);
});

test('so is what it took, and of which it did not take the end', () => {
  const { journal, fill } = open();
  journal.open(entry(1));
  fill();
  journal.close(hashOf(1), success);
  expect(journal.unlisted()).toEqual([hashOf(1)]);
  expect(journal.dueListing(hashOf(1))).toMatchObject({ listing: listingOf(1), ...FACTS });
  journal.listed(hashOf(1), 'success');
  expect(journal.unlisted()).toEqual([]);
  journal.end();
});

test('the file takes it as soon as it can, whole, and then it outlives the process', () => {
  const { journal, again, fill, free } = open();
  journal.open(entry(1));
  fill();
  journal.open(entry(2));
  for (const nth of [1, 2]) journal.close(hashOf(nth), success);
  free();
  expect(journal.unlisted()).toEqual([hashOf(1), hashOf(2)]);
  journal.end();
  const next = again();
  expect(next.unended()).toEqual([]);
  expect(next.unlisted()).toEqual([hashOf(1), hashOf(2)]);
  expect(next.dueListing(hashOf(2))).toMatchObject({ listing: listingOf(2), ...FACTS });
  next.end();
  expect(lost()).toEqual([]);
});

test('where it can do so at the last moment only, that is early enough', () => {
  const { journal, again, fill, free } = open();
  fill();
  journal.open(entry(1));
  journal.close(hashOf(1), success);
  free();
  journal.end();
  const next = again();
  expect(next.unlisted()).toEqual([hashOf(1)]);
  next.end();
});

test('what is lost with the process is named in the log', () => {
  const { journal, fill } = open();
  fill();
  for (let nth = 0; nth < 30; nth += 1) {
    journal.open(entry(nth));
    journal.close(hashOf(nth), success);
  }
  journal.end();
  expect(lost()).toMatchObject([
    { listings: 30, transactions: Array.from({ length: 20 }, (_, nth) => hashOf(nth)) },
  ]);
  expect(lost()[0]?.message).toMatch(/Each resource is listed at its next sale$/);
});

test.each([
  ['a payment that did not settle', { state: 'expired' } as const],
  ['one that was listed at once', success],
])('%s makes room for another', (_, end) => {
  const { journal, fill } = open({ heldKept: 1 });
  fill();
  journal.open(entry(1));
  journal.close(hashOf(1), end);
  journal.listed(hashOf(1), 'success');
  journal.open(entry(2));
  journal.close(hashOf(2), success);
  expect(journal.unlisted()).toEqual([hashOf(2)]);
  journal.end();
});

test.each<Partial<JournalLimits>>([{ heldKept: 2 }, { heldBytes: 2 * listingOf(1).length }])(
  'where memory holds as many as it may (%o), the log says which has no copy',
  (limits) => {
    const { journal, fill } = open(limits);
    fill();
    for (const nth of [1, 2, 3]) journal.open(entry(nth));
    for (const nth of [1, 2, 3]) journal.close(hashOf(nth), success);
    expect(journal.unlisted()).toEqual([hashOf(1), hashOf(2)]);
    expect(said.filter(({ message }) => message.startsWith('a listing has no copy: '))).toMatchObject([
      { transaction: hashOf(3) },
    ]);
    journal.end();
  },
);

const idsOf = (journal: SqliteJournal): string[] => {
  const claimed = journal.events!.claim(10, 60_000) as { id: string }[];
  return claimed.map(({ id }) => id).toSorted();
};
/** Pays recipients of their own, so that no event waits for another. */
const paid = (nth: number, listing?: string): JournalEntry => ({
  ...entry(nth),
  listing,
  payTo: `GSHOP${nth}`,
});

test('with webhooks memory holds each outcome of a ledger until the file has it with its event, listed or not', () => {
  const { journal, again, fill, free } = open({}, true);
  journal.open(paid(1));
  journal.open(paid(2, listingOf(2)));
  fill();
  journal.open(paid(3));
  journal.open(paid(4, listingOf(4)));
  journal.open(paid(5, listingOf(5)));
  journal.open(paid(6, listingOf(6)));
  for (const nth of [1, 2, 3, 4]) journal.close(hashOf(nth), success);
  journal.close(hashOf(5), failed);
  journal.close(hashOf(6), { state: 'expired' });
  for (const nth of [2, 4]) journal.listed(hashOf(nth), 'success');
  expect(journal.unlisted()).toEqual([]);
  free();
  const settled = [1, 2, 3, 4].map((nth) => `settled_${hashOf(nth)}`);
  expect(idsOf(journal)).toEqual([`failed_${hashOf(5)}`, ...settled]);
  journal.end();
  const next = again();
  expect(next.unended()).toEqual([]);
  // What was listed is not listed again.
  expect(next.unlisted()).toEqual([]);
  next.end();
});

test('with webhooks the log says which outcomes have no copy, and how many are lost with the process', () => {
  const { journal, fill } = open({ heldKept: 1 }, true);
  fill();
  for (const nth of [1, 2]) {
    journal.open(paid(nth));
    journal.close(hashOf(nth), success);
  }
  journal.end();
  const told = said.filter(
    ({ message }) => message.startsWith('webhooks may be lost') || message.startsWith('a webhook'),
  );
  expect(told).toEqual([
    { message: expect.stringMatching(/^a webhook may be lost: /), transaction: hashOf(2) },
    { message: expect.stringMatching(/^a webhook may be lost: /), transaction: hashOf(2) },
    { message: expect.stringMatching(/^webhooks may be lost: /), outcomes: 1 },
  ]);
});
