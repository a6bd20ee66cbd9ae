import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { journalPathOf } from '../../config/databasePath.ts';
import { readEnvironment } from '../../config/environment.ts';
import { EXIT_CONFIG, EXIT_FAILED } from '../../process/exitCodes.ts';
import type { ProcessEnvironment } from '../command.ts';
import { existingFile } from '../existingFile.ts';
import { Failure } from '../failure.ts';

/** Copies everything in one step: a write between two steps would restart the copy. */
const PAGES_PER_STEP = 0x7fff_ffff;
/** The copy waits this long while another process opens or closes the database. */
const BUSY_TIMEOUT_MS = 5_000;

interface Copy {
  readonly from: string;
  readonly to: string;
  /** The name of its content, the query that counts it, and the unit of that count. */
  readonly name: string;
  readonly count: string;
  readonly unit: string;
}

/** Copies the catalog to `target`. Returns a line for each copy, or throws a Failure. */
export async function backUp(environment: ProcessEnvironment, target: string): Promise<string[]> {
  if (readEnvironment(environment)['DATABASE_URL'] !== undefined)
    throw new Failure(EXIT_CONFIG, 'DATABASE_URL is set: the data is in PostgreSQL; back it up with pg_dump');
  const copies = copiesOf(existingFile(environment), target);
  const folder = dirname(target);
  if (!existsSync(folder)) throw notMade(`there is no folder ${folder}; make it, or name another`);
  const inTheWay = copies.find(({ to }) => existsSync(to));
  if (inTheWay !== undefined)
    throw new Failure(EXIT_FAILED, `${inTheWay.to} exists: name a file that does not`);
  return makeCopies(copies);
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
async function makeCopies(copies: readonly Copy[]): Promise<string[]> {
  const partOf = ({ to }: Copy): string => `${to}.part`;
  try {
    const lines: string[] = [];
    for (const copy of copies) {
      rmSync(partOf(copy), { force: true });
      await copyFile(copy.from, partOf(copy));
      const count = check(partOf(copy), copy);
      lines.push(`${copy.to} holds the ${copy.name}: ${count} ${copy.unit}${count === 1 ? '' : 's'}`);
    }
    for (const copy of copies) renameSync(partOf(copy), copy.to);
    return lines;
  } catch (error) {
    for (const copy of copies)
      for (const end of ['', '-journal', '-wal', '-shm']) rmSync(partOf(copy) + end, { force: true });
    throw notMade((error as Error).message);
  }
}

function notMade(why: string): Failure {
  return new Failure(EXIT_FAILED, `no backup was made: ${why}`);
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
