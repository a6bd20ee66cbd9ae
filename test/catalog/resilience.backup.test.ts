import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { openJournalFile } from '../../src/journal/file.ts';
import { auditCatalog } from './auditedCatalog.ts';
import { startChild, startScript } from './child.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { COMMON_WORDS } from './killedWriterWords.ts';
import { settledPayment } from './settledPayments.ts';
import { runInside } from '../support/cli.ts';

const BACKUPS = 3;

const log = { info: () => {}, warn: () => {}, error: () => {} };

const backUp = (DB_PATH: string, ...args: string[]) => runInside(['backup', ...args], { DB_PATH });

async function catalogWith(path: string, keys: readonly string[]): Promise<void> {
  const catalog = await openCatalog({ dbPath: path, log });
  for (const key of keys) await catalog.submit(settledPayment({ key, payTo: 'GALICE' }));
  await catalog.close();
}

const keysIn = (path: string): string[] => {
  const catalog = auditCatalog(path);
  expect(catalog.integrity()).toEqual({ integrity_check: 'ok' });
  catalog.close();
  return [...catalog.items.keys()];
};

describe('a backup', () => {
  test('made while others write holds everything that was reported before', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    const writer = startScript('killedWriter.ts', [path, '0', '1']);
    await writer.line('listed');
    const before: number[] = [];
    for (let made = 0; made < BACKUPS; made += 1) {
      before.push(writer.lines().length);
      const target = join(folder, `backup${made}.db`);
      const { code, stderr } = await backUp(path, target);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    // It goes on.
    await expect.poll(() => writer.lines().length).toBeGreaterThan(before.at(-1)!);
    writer.kill('SIGKILL');
    const { lines } = await writer.ended;
    expect(lines.filter((line) => line.startsWith('fault'))).toEqual([]);

    for (const [made, count] of before.entries()) {
      const reported = lines.slice(0, count).filter((line) => line.startsWith('listed '));
      const catalog = auditCatalog(join(folder, `backup${made}.db`));
      const keys = reported.map((line) => (JSON.parse(line.slice('listed '.length)) as { key: string }).key);
      expect([...catalog.items.keys()]).toEqual(expect.arrayContaining(keys));
      for (const word of COMMON_WORDS)
        expect(catalog.found(word).sort()).toEqual([...catalog.saying(word)].sort());
      expect(catalog.integrity()).toEqual({ integrity_check: 'ok' });
      catalog.close();
    }
  });

  test('is one file, and says how much is in it', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one', 'two']);
    const command = ['dist/stellar-facilitator.js', 'backup', target];
    expect(await startChild(process.execPath, command, { env: { DB_PATH: path } }).ended).toEqual({
      code: 0,
      signal: null,
      lines: [`${target} holds the catalog: 2 listings`],
      stderr: '',
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);
    expect(keysIn(target)).toEqual(['one', 'two']);
  });

  test('has the journal beside it, if there is one', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one']);
    // Left open, as by a process that was killed.
    const journal = openJournalFile(join(folder, 'catalog.settlements.db'));
    journal.exec(`INSERT INTO entry (hash, opened_at, payer, authorization, submitter, sequence,
      inclusion_bid_stroops, total_bid_stroops, max_time_seconds, last_ledger, sent_in_ledger)
      VALUES ('ab', 1, 'G', 'G:1', 'G', '1', 1, 1, 1, 1, 1)`);
    expect(await backUp(path, target)).toEqual({
      code: 0,
      stdout:
        `${join(folder, 'backup.settlements.db')} holds the journal: 1 settlement\n` +
        `${target} holds the catalog: 1 listing\n`,
      stderr: '',
    });
    journal.close();
    const copies = readdirSync(folder).filter((name) => name.startsWith('backup'));
    expect(copies.sort()).toEqual(['backup.db', 'backup.settlements.db']);
    const copy = openJournalFile(join(folder, 'backup.settlements.db'));
    expect(copy.prepare('SELECT hash FROM entry').all()).toEqual([{ hash: 'ab' }]);
    copy.close();

    rmSync(target);
    const { code, stderr } = await backUp(path, target);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/backup\.settlements\.db exists: name a file/)]);
    expect(existsSync(target)).toBe(false);
  });

  test('of a killed process has what only its write-ahead log holds', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    const writer = startScript('killedWriter.ts', [path, '0', '1']);
    await writer.line('listed');
    writer.kill('SIGKILL');
    await writer.ended;
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect((await backUp(path, target)).code).toBe(0);
    expect(keysIn(target)).toEqual(keysIn(path));
  });

  test('serves in the place of a damaged catalog', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one']);
    await backUp(path, target);
    writeFileSync(path, 'damaged');
    copyFileSync(target, path);
    await catalogWith(path, ['two']);
    expect(keysIn(path)).toEqual(['one', 'two']);
  });
});

describe('no backup is made', () => {
  test.each([
    ['without a target', [], '<file> is missing'],
    ['with a target without a name', [''], '<file> is missing'],
    ['with two targets', ['one.db', 'two.db'], "Unexpected argument 'two.db'"],
    ['with an option that there is not', ['--fast'], "Unknown option '--fast'"],
  ])('%s', async (_what, args, problem) => {
    const { code, stdout, stderr } = await runInside(['backup', ...args], {});
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toBe(`${problem}\nSee: npx stellar-facilitator backup --help\n`);
  });

  test.each(['--help', '-h'])('asked for %s tells how it is called, and writes nothing', async (option) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await backUp(join(folder, 'catalog.db'), option);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('\n  npx stellar-facilitator backup <file>\n');
    expect(existsSync(option)).toBe(false);
  });

  test('of a catalog in memory', async () => {
    const target = join(temporaryFolder(), 'backup.db');
    expect(await backUp(':memory:', target)).toEqual({
      code: 78,
      stdout: '',
      stderr: 'DB_PATH is :memory:, so there is no file to copy, and nothing outlives the service\n',
    });
    expect(existsSync(target)).toBe(false);
  });

  test('of an index beside a database, which has the data', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one']);
    const DATABASE_URL = 'postgres://db.internal/facilitator';
    expect(await runInside(['backup', target], { DB_PATH: path, DATABASE_URL })).toEqual({
      code: 78,
      stdout: '',
      stderr: 'DATABASE_URL is set: the data is in PostgreSQL; back it up with pg_dump\n',
    });
    expect(existsSync(target)).toBe(false);
  });

  test('of a file that is not there', async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await backUp(join(folder, 'catalog.db'), join(folder, 'backup.db'));
    expect([code, stderr]).toEqual([78, expect.stringMatching(/^DB_PATH names no file: /)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('over a file that exists', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one']);
    await backUp(path, target);
    await catalogWith(path, ['two']);
    expect(await backUp(path, target)).toEqual({
      code: 1,
      stdout: '',
      stderr: `${target} exists: name a file that does not\n`,
    });
    expect(keysIn(target)).toEqual(['one']);
    expect((await backUp(path, path)).code).toBe(1);
  });

  test('into a folder that is not there', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'catalog.db');
    await catalogWith(path, ['one']);
    const { code, stderr } = await backUp(path, join(folder, 'missing', 'backup.db'));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^no backup was made: there is no folder .+missing; make it/),
    ]);
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });

  test('of what is no catalog', async () => {
    const folder = temporaryFolder();
    const [text, other] = [join(folder, 'notes.txt'), join(folder, 'other.db')];
    writeFileSync(text, 'notes, '.repeat(2_000));
    const db = new DatabaseSync(other);
    db.exec('CREATE TABLE account (name TEXT)');
    db.close();
    mkdirSync(join(folder, 'backups'));
    for (const path of [text, other]) {
      const { code, stderr } = await backUp(path, join(folder, 'backups', 'backup.db'));
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^no backup was made: .+\n$/)]);
    }
    expect(readdirSync(join(folder, 'backups'))).toEqual([]);
  });

  test('of a damaged catalog', async () => {
    const folder = temporaryFolder();
    const [path, target] = [join(folder, 'catalog.db'), join(folder, 'backup.db')];
    await catalogWith(path, ['one', 'two', 'three']);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(4_096 * 4, 0xa5), 0, 4_096 * 4, 4_096 * 3);
    closeSync(file);
    const { code, stderr } = await backUp(path, target);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^no backup was made: .+\n$/)]);
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });
});
