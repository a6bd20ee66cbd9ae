// Copies the catalog and, beside it, the journal, even while the service runs: npm run backup -- <file>
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from '../store/sqliteFile.ts';
import { COMMANDS } from '../process/commands.ts';
import { DEFAULT_DB_PATH, journalPathOf } from '../config/databasePath.ts';
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from '../process/exitCodes.ts';

/** Copies everything in one step: a write between two steps would restart the copy. */
const PAGES_PER_STEP = 0x7fff_ffff;
/** The copy waits this long while another process opens or closes the database. */
const BUSY_TIMEOUT_MS = 5_000;

const { DB_PATH: source = DEFAULT_DB_PATH } = readEnvironment(process.env);
const [target, ...more] = process.argv.slice(2);

const USAGE = `Usage: ${COMMANDS.backup} <file>, where <file> does not exist yet`;
if (target === '--help' || target === '-h') process.stdout.write(`${USAGE}\n`);
else if (target === undefined || target === '' || target.startsWith('-') || more.length > 0)
  fail(EXIT_USAGE, USAGE);
else if (source === IN_MEMORY)
  fail(EXIT_CONFIG, `DB_PATH is ${IN_MEMORY}: there is no file to copy, and nothing outlives the service`);
else if (!existsSync(source))
  fail(EXIT_CONFIG, 'DB_PATH names no file: set it as it is set for the service, and start that once');
else {
  const copies = copiesOf(source, target);
  const inTheWay = copies.find(({ to }) => existsSync(to));
  const folder = dirname(target);
  if (!existsSync(folder))
    fail(EXIT_FAILED, `no backup was made: there is no folder ${folder}; make it, or name another`);
  else if (inTheWay !== undefined) fail(EXIT_FAILED, `${inTheWay.to} exists: name a file that does not`);
  else await run(copies);
}

interface Copy {
  from: string;
  to: string;
  /** The name of its content, the query that counts it, and the unit of that count. */
  name: string;
  count: string;
  unit: string;
}

/** Lists the journal first: what settles between the two copies is then listed again, not missed. */
function copiesOf(from: string, to: string): Copy[] {
  const catalog = { name: 'catalog', count: 'SELECT listings AS count FROM state', unit: 'listing' };
  const journal = { name: 'journal', count: 'SELECT count(*) AS count FROM entry', unit: 'settlement' };
  return [
    { ...journal, from: journalPathOf(from), to: journalPathOf(to) },
    { ...catalog, from, to },
  ].filter((copy) => copy.name === 'catalog' || existsSync(copy.from));
}

/** Makes the copies. They get their names only when all of them are complete and were read in full. */
async function run(copies: readonly Copy[]): Promise<void> {
  const partOf = ({ to }: Copy): string => `${to}.part`;
  try {
    const counts: number[] = [];
    for (const copy of copies) {
      rmSync(partOf(copy), { force: true });
      await copyFile(copy.from, partOf(copy));
      counts.push(check(partOf(copy), copy));
    }
    for (const copy of copies) renameSync(partOf(copy), copy.to);
    for (const [index, { to, name, unit }] of copies.entries()) {
      const count = counts[index]!;
      process.stdout.write(`${to} holds the ${name}: ${count} ${unit}${count === 1 ? '' : 's'}\n`);
    }
  } catch (error) {
    for (const copy of copies)
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(partOf(copy) + end, { force: true });
    fail(EXIT_FAILED, `no backup was made: ${(error as Error).message}`);
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  const db = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    await backup(db, to, { rate: PAGES_PER_STEP });
  } finally {
    db.close();
  }
}

/** Reads the copy in full and makes a single file of it. Returns how much it holds. */
function check(path: string, { name, count }: Copy): number {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    const [found] = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {});
    if (found !== 'ok') throw new Error(`the ${name} is damaged`);
    return (db.prepare(count).get() as { count: number }).count;
  } finally {
    db.close();
  }
}

function fail(code: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
