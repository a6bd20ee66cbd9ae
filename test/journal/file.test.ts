import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openJournalFile } from '../../src/journal/file.ts';
import { UnusableFile } from '../../src/store/sqliteFile.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

const ENTRIES = 200;

/** A journal with some entries, in one file. */
function journalFile(): string {
  const path = join(temporaryFolder(), 'settlements.db');
  const db = openJournalFile(path);
  const insert = db.prepare(
    `INSERT INTO entry (hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops,
       total_bid_stroops, listing, max_time_seconds, last_ledger, sent_in_ledger)
     VALUES (?, 1, 'G', 'G:1', 'G', '1', 1, 1, ?, 1, 1, 1)`,
  );
  for (let nth = 0; nth < ENTRIES; nth += 1) insert.run(String(nth), 'A'.repeat(1_000));
  db.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

const WITHOUT_RECORDS = [
  ...['entry_opened_at', 'entry_payer', 'entry_pay_to', 'entry_caller', 'entry_unsettled', 'entry_failed'],
  ...['entry_closed', 'entry_pending', 'entry_authorization', 'entry_payment_identifier'],
]
  .map((index) => `DROP INDEX ${index}`)
  .concat(
    [
      ...[
        'pay_to',
        'amount',
        'asset',
        'resource',
        'request_id',
        'asked_at',
        'verified_at',
        'code',
        'message',
      ],
      ...['listing_status', 'listed_at'],
    ].map((column) => `ALTER TABLE entry DROP COLUMN ${column}`),
  )
  .concat('DROP TABLE event', 'ALTER TABLE entry DROP COLUMN told_at')
  .concat('DROP TABLE keyed_answer', 'ALTER TABLE entry DROP COLUMN key_hash')
  .concat('ALTER TABLE entry DROP COLUMN payment_identifier')
  .join('; ');

const AS_IN_VERSION_2 = `${WITHOUT_RECORDS}; DROP TABLE caller_key; DROP TRIGGER entry_opened; DROP TRIGGER entry_counted; DROP TABLE fee_total; ALTER TABLE entry DROP COLUMN caller; ALTER TABLE entry DROP COLUMN counted_stroops; ALTER TABLE entry DROP COLUMN is_stellar_asset; ALTER TABLE entry DROP COLUMN party; ALTER TABLE entry ADD COLUMN envelope TEXT NOT NULL DEFAULT ''; PRAGMA user_version = 2`;

const entriesIn = (path: string): unknown => {
  const db = openJournalFile(path);
  const { n } = db.prepare('SELECT count(*) AS n FROM entry').get()!;
  db.close();
  return n;
};

describe('the file of the journal', () => {
  test('opens again as it was', () => {
    expect(entriesIn(journalFile())).toBe(ENTRIES);
  });

  test('of the first version is brought up to date, with all that it holds', () => {
    const path = journalFile();
    change(path, `${AS_IN_VERSION_2}; ALTER TABLE entry DROP COLUMN closed_at; PRAGMA user_version = 1`);
    expect(entriesIn(path)).toBe(ENTRIES);
    const db = new DatabaseSync(path);
    expect(db.prepare('SELECT count(*) AS n FROM entry WHERE closed_at IS NULL').get()).toEqual({
      n: ENTRIES,
    });
    db.close();
  });

  test('of the second version loses what is of no use, and becomes small', () => {
    const path = journalFile();
    change(
      path,
      `${AS_IN_VERSION_2};
       UPDATE entry SET envelope = hex(randomblob(20000)), listing = hex(randomblob(100000));
       UPDATE entry SET status = 'success' WHERE id = 1;
       UPDATE entry SET status = 'failed' WHERE id > 2`,
    );
    expect(statSync(path).size).toBeGreaterThan(40e6);
    openJournalFile(path).close();
    expect(statSync(path).size).toBeLessThan(2e6);
    const db = new DatabaseSync(path);
    // Still to be listed, and without an end yet.
    expect(db.prepare('SELECT id FROM entry WHERE listing IS NOT NULL').all()).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    db.close();
  });

  test('is made of an empty file', () => {
    const path = join(temporaryFolder(), 'empty.db');
    writeFileSync(path, '');
    expect(entriesIn(path)).toBe(0);
  });

  test.each([
    [
      'is no database',
      (path: string) => writeFileSync(path, 'x'.repeat(4_096)),
      /^is not a SQLite database: /,
    ],
    ['was cut off', (path: string) => truncateSync(path, statSync(path).size / 2), /^is damaged: /],
    ['lost its table', (path: string) => change(path, 'DROP TABLE entry'), /^is damaged: /],
    [
      'is of another program',
      (path: string) => change(path, 'PRAGMA application_id = 7'),
      /^is a database of another program: /,
    ],
    [
      'is of a newer version',
      (path: string) => change(path, 'PRAGMA user_version = 99'),
      /^was written by a newer version of this service \(/,
    ],
  ])('that %s is unusable, and says what to do', (_why, spoil, message) => {
    const path = journalFile();
    spoil(path);
    let error: unknown;
    try {
      openJournalFile(path).close();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(UnusableFile);
    expect((error as Error).message).toMatch(message);
  });

  test('of another program stays as it is', () => {
    const path = join(temporaryFolder(), 'accounts.db');
    change(path, 'CREATE TABLE account (name TEXT)');
    expect(() => openJournalFile(path)).toThrow(UnusableFile);
    const db = new DatabaseSync(path);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    db.close();
  });

  test('with a page spoiled in the middle is unusable: what is under way may stand there', () => {
    const path = journalFile();
    const db = new DatabaseSync(path);
    const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'entry'").get()!;
    db.close();
    spoilPage(path, Number(rootpage));
    expect(() => openJournalFile(path)).toThrow(/^is damaged: /);
  });
});

const PAGE_BYTES = 4_096;

function spoilPage(path: string, page: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  writeFileSync(path, bytes);
}
