import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { journalPathOf } from '../../src/config/databasePath.ts';
import { openJournal, type SqliteJournal } from '../../src/journal/index.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { UNLIMITED_BUDGET, type JournalEntry } from '../../src/scheme/index.ts';
import { startChild } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';
import { ASKED } from '../journal/entries.ts';
import { runInside } from '../support/cli.ts';
import { withoutRightsUntil } from '../support/refusedStart.ts';
import { silent } from '../support/service.ts';
import { linesOf, runNarrow, runPayments, type Shown } from './support.ts';

const PAYER = 'GBHEGW3KWOY2OFH767EDALFGCUTBOEVBDQMCKU4APMDLYNBGQV3MKUVF';
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\r\n\u009b31m\u202emoc.live\u2066\u200b\u{e0041}é漢';
const MANY = 100_000;
const STREAM_TIMEOUT_MS = 180_000;

const hashOf = (nth: number): string => nth.toString(16).padStart(64, '0');

const entry = (nth: number, changes: Partial<JournalEntry> = {}): JournalEntry => ({
  ...ASKED,
  hash: hashOf(nth),
  listing: undefined,
  isStellarAsset: true,
  payer: PAYER,
  party: PAYER,
  authorization: `${PAYER}:${nth}`,
  submitter: 'GSUBMITTER',
  sequence: BigInt(nth),
  bid: { inclusionStroops: 200, totalStroops: 23_200 },
  budget: UNLIMITED_BUDGET,
  sent: { validity: { maxTimeSeconds: 1_780_000_000, lastLedger: 77 }, sentInLedger: 70 },
  ...changes,
});

const newPath = (): string => join(temporaryFolder(), 'catalog.db');

function openWith(dbPath: string, entries: readonly JournalEntry[]): SqliteJournal {
  const journal = openJournal({ path: journalPathOf(dbPath), log: silent });
  for (const one of entries) journal.open(one);
  return journal;
}

/** A journal that no service uses. */
function stopped(entries: readonly JournalEntry[]): string {
  const dbPath = newPath();
  openWith(dbPath, entries).end();
  return dbPath;
}

describe('texts of strangers', () => {
  const HOSTILE = entry(1, {
    resource: `https://${ESCAPES}`,
    requestId: ESCAPES,
    payTo: ESCAPES,
    asset: ESCAPES,
  });

  test.each([[[]], [['--json']], [['show', hashOf(1)]], [['show', hashOf(1), '--json']], [['--csv']]])(
    'do nothing to a terminal: %j',
    async (args) => {
      const environment = { DB_PATH: stopped([HOSTILE]) };
      const { code, stdout } = await runInside(['payments', ...args], environment, 200);
      expect(code).toBe(0);
      // The arrow and the ellipsis are the table's own.
      expect(stdout.replaceAll('\r\n', '\n')).toMatch(/^[\x20-\x7e\n→…]+$/);
      expect(stdout).toContain('moc.live');
    },
  );

  test('are whole in JSON, and in a CSV that goes to a file', async () => {
    const environment = { DB_PATH: stopped([HOSTILE]) };
    const { stdout } = await runPayments(environment, '--json');
    expect(linesOf<Shown>(stdout)[0]).toMatchObject({ resource: `https://${ESCAPES}`, payTo: ESCAPES });
    expect((await runPayments(environment, '--csv')).stdout).toContain(`"https://${ESCAPES}"`);
  });
});

describe('the table', () => {
  const LONG = entry(1, { resource: `https://shop.example/${'x'.repeat(500)}`, amount: 10n ** 38n });

  test.each([79, 80, 100, 120, 200])('fits a window of %i columns', async (columns) => {
    const environment = { DB_PATH: stopped([LONG, entry(2)]) };
    const { stdout } = await runInside(['payments'], environment, columns);
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines[1]).toContain(hashOf(2).slice(0, 8));
    expect(lines[1]).toMatch(/pending +10000 CASSET +GBHE…UVF → GSHOP /);
  });

  test('shows 50 of them, and says that others follow', async () => {
    const DB_PATH = stopped(Array.from({ length: 60 }, (_, nth) => entry(nth)));
    const { stdout, stderr } = await runPayments({ DB_PATH });
    expect(stdout.split('\n')).toHaveLength(1 + 50 + 1);
    expect(stderr).toBe('There are older ones: --limit shows more.\n');
    const all = await runPayments({ DB_PATH }, '--limit', '60');
    expect([all.stdout.split('\n').length, all.stderr]).toEqual([1 + 60 + 1, '']);
  });

  test('says so if there is none', async () => {
    const DB_PATH = stopped([]);
    expect((await runPayments({ DB_PATH })).stdout).toBe('No settlement matches.\n');
    expect((await runPayments({ DB_PATH }, '--json')).stdout).toBe('');
    expect((await runPayments({ DB_PATH }, '--csv')).stdout).toMatch(/^hash,status.*\r\n$/);
  });
});

describe('the journal', () => {
  test('is only read, and nothing is left beside it', async () => {
    const DB_PATH = stopped([entry(1)]);
    const before = readFileSync(journalPathOf(DB_PATH));
    for (const args of [[], ['show', hashOf(1)]])
      expect((await runPayments({ DB_PATH }, ...args)).code).toBe(0);
    expect(readdirSync(dirname(DB_PATH))).toEqual(['catalog.settlements.db']);
    expect(readFileSync(journalPathOf(DB_PATH)).equals(before)).toBe(true);
  });

  test('is read with what a killed service left in its log, which stays', async () => {
    const running = newPath();
    const journal = openWith(running, [entry(1)]);
    onTestFinished(() => journal.end());
    const killed = newPath();
    for (const end of ['', '-wal']) copyFileSync(journalPathOf(running) + end, journalPathOf(killed) + end);
    const before = readFileSync(journalPathOf(killed));
    const { stdout } = await runPayments({ DB_PATH: killed }, '--json');
    expect(linesOf<Shown>(stdout)).toHaveLength(1);
    expect(readFileSync(journalPathOf(killed)).equals(before)).toBe(true);
  });

  test('is read while a service writes', async () => {
    const DB_PATH = newPath();
    const journal = openWith(DB_PATH, []);
    onTestFinished(() => journal.end());
    for (let nth = 1; nth <= 5; nth += 1) {
      journal.open(entry(nth));
      expect(linesOf((await runPayments({ DB_PATH }, '--json')).stdout)).toHaveLength(nth);
    }
  });

  test.each<[string, (path: string) => void, RegExp]>([
    [
      'is not there',
      () => {},
      /^there is no journal beside the file of DB_PATH: .*start the service once\n$/,
    ],
    [
      'is of an older version',
      (path) => setVersion(path, 3),
      /was written by an older version of this service: start this version on it once\n$/,
    ],
    [
      'is of a newer version',
      (path) => setVersion(path, 999),
      /was written by a newer version of this service/,
    ],
    ['is of another program', (path) => new DatabaseSync(path).exec('CREATE TABLE t (a)'), /another program/],
    ['is no database', (path) => writeFileSync(path, 'x'.repeat(9_999)), /is not a SQLite database/],
    ['is a folder', (path) => void mkdirSync(path), /^DB_PATH, the journal beside it/],
  ])('that %s is not read, and not changed: exit code 78', async (_what, make, problem) => {
    const DB_PATH = newPath();
    make(journalPathOf(DB_PATH));
    const before = readdirSync(dirname(DB_PATH));
    for (const args of [[], ['--audit'], ['show', hashOf(1)]]) {
      const { code, stdout, stderr } = await runPayments({ DB_PATH }, ...args);
      expect([code, stdout]).toEqual([78, '']);
      expect(stderr).toMatch(problem);
    }
    expect(readdirSync(dirname(DB_PATH))).toEqual(before);
  });

  test
    .skipIf(process.platform === 'win32')
    .each([[['payments']], [['listings', 'list']], [['keys', 'list']], [['backup', 'copy.db']]])(
    'in a folder of another user is not taken for missing: %j',
    async (args) => {
      const DB_PATH = newPath();
      const run = () => runInside(args, { DB_PATH });
      // The first run loads the command's code.
      expect((await run()).stderr).not.toContain('EACCES');
      chmodSync(dirname(DB_PATH), 0o600);
      expect(await withoutRightsUntil(run)).toEqual({
        code: 78,
        stdout: '',
        stderr: 'DB_PATH cannot be read (EACCES): run this as a user who may, such as that of the service\n',
      });
    },
  );

  test('in memory cannot be read', async () => {
    const { code, stderr } = await runPayments({ DB_PATH: ':memory:' });
    expect([code, stderr]).toEqual([78, expect.stringMatching(/^DB_PATH is :memory:/)]);
  });

  test('in a database that does not answer is named without the password', async () => {
    const DATABASE_URL = 'postgres://me:hunter2hunter2@127.0.0.1:1/none';
    const { code, stdout, stderr } = await runPayments({ DATABASE_URL });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^DATABASE_URL does not answer \(ECONNREFUSED\)/);
    expect(stderr).not.toMatch(/hunter2/);
  });
});

function setVersion(path: string, version: number): void {
  const db = openJournalFile(path);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}

describe(`${MANY} settlements`, () => {
  function fill(path: string): void {
    const db = openJournalFile(path);
    db.exec(`WITH RECURSIVE nth (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM nth WHERE n < ${MANY})
      INSERT INTO entry (hash, opened_at, payer, authorization, submitter, sequence, inclusion_bid_stroops,
        total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger, asset, amount, pay_to, resource, status)
      SELECT printf('%064x', n), n, '${PAYER}', 'G:' || n, 'G', '1', 1, 1, 1, 1, 1, 'CASSET', '10000', 'GSHOP',
        'https://shop.example/' || hex(zeroblob(500)), 'success' FROM nth`);
    db.close();
  }

  test(
    'are streamed in little memory',
    async () => {
      const DB_PATH = newPath();
      fill(journalPathOf(DB_PATH));
      expect(await runNarrow({ DB_PATH }, '--json')).toBe(MANY);
      expect(await runNarrow({ DB_PATH }, '--limit', String(MANY))).toBe(MANY + 1);
    },
    STREAM_TIMEOUT_MS,
  );

  test('are no fault if their reader leaves', async () => {
    const DB_PATH = newPath();
    fill(journalPathOf(DB_PATH));
    const program = `"${process.execPath}" dist/stellar-facilitator.js payments --json`;
    const { lines, stderr } = await startChild(
      'sh',
      ['-c', `{ ${program}; echo "exit $?" >&2; } | head -n 3`],
      {
        env: { DB_PATH },
      },
    ).ended;
    expect({ lines: lines.length, stderr }).toEqual({ lines: 3, stderr: 'exit 0\n' });
  });
});
