// Copies the catalog into another file, also while the service runs: npm run backup -- <file>
import { existsSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from './catalog/index.ts';
import { COMMANDS } from './commands.ts';
import { DEFAULT_DB_PATH } from './databasePath.ts';
import { readEnvironment } from './environment.ts';
import { EXIT_CONFIG, EXIT_FAILED, EXIT_USAGE } from './exitCodes.ts';

/** All in one step: what is written between two steps would start the copy anew. */
const PAGES_PER_STEP = 0x7fff_ffff;
/** How long the copy waits for a database that another process starts or stops. */
const BUSY_TIMEOUT_MS = 5_000;

const { DB_PATH: source = DEFAULT_DB_PATH } = readEnvironment(process.env);
const [target, ...more] = process.argv.slice(2);

if (target === undefined || target === '' || more.length > 0)
  fail(EXIT_USAGE, `Usage: ${COMMANDS.backup} <file>, where <file> does not exist yet`);
else if (source === IN_MEMORY)
  fail(EXIT_CONFIG, `DB_PATH is ${IN_MEMORY}: there is no file to copy, and nothing outlives the service`);
else if (!existsSync(source))
  fail(EXIT_CONFIG, 'DB_PATH names no file: set it as it is set for the service, and start that once');
else if (existsSync(target)) fail(EXIT_FAILED, `${target} exists: name a file that does not`);
else await run(source, target);

/** The copy has its name only when it is whole and was read from end to end. */
async function run(from: string, to: string): Promise<void> {
  const part = `${to}.part`;
  try {
    rmSync(part, { force: true });
    await copy(from, part);
    const listings = check(part);
    renameSync(part, to);
    process.stdout.write(`${to} holds the catalog: ${listings} listing${listings === 1 ? '' : 's'}\n`);
  } catch (error) {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(part + end, { force: true });
    fail(EXIT_FAILED, `no backup was made: ${(error as Error).message}`);
  }
}

async function copy(from: string, to: string): Promise<void> {
  const db = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    await backup(db, to, { rate: PAGES_PER_STEP });
  } finally {
    db.close();
  }
}

/** Reads the copy from end to end and makes one file of it. Returns how many listings it has. */
function check(path: string): number {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    const [found] = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {});
    if (found !== 'ok') throw new Error('the catalog is damaged');
    return (db.prepare('SELECT listings FROM state').get() as { listings: number }).listings;
  } finally {
    db.close();
  }
}

function fail(code: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
