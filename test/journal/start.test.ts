import { chmodSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Keypair } from '@stellar/stellar-sdk';
import { expect, test } from 'vitest';
import { openJournalFile } from '../../src/journal/file.ts';
import { startChild, type Child } from '../catalog/child.ts';
import { temporaryFolder } from '../catalog/temporaryFolder.ts';

const SUBMITTER_SECRET = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1)).secret();
const ENV = { SUBMITTER_SECRET, RPC_URL: 'http://127.0.0.1:1/provider-key-of-20-chars', PORT: '0' };
/** No user of this machine, for tests that run as root, whom no permission stops. */
const NOBODY = 65_534;

/** As `npm start` does it, in a folder of its own with a journal. */
function prepare(): { journal: string; start: (uid?: number) => Child } {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  const journal = join(folder, 'catalog.settlements.db');
  openJournalFile(journal).close();
  const env = { ...ENV, DB_PATH: join(folder, 'catalog.db') };
  return { journal, start: (uid) => startChild(process.execPath, ['src/main.ts'], { env, uid }) };
}

/** It ends before it listens, with one line that names the file and says what to do. */
async function expectRefused(child: Child, why: RegExp): Promise<void> {
  const { code, lines, stderr } = await child.ended;
  expect({ code, lines }).toEqual({ code: 78, lines: [] });
  expect(stderr.match(/\n/g)).toHaveLength(1);
  const [start, ...rest] = stderr.split('DB_PATH, the journal beside it (catalog.settlements.db), ');
  expect([start, rest.length]).toEqual(['', 1]);
  expect(rest[0]).toMatch(why);
  expect(stderr).not.toContain(SUBMITTER_SECRET);
}

test('a damaged journal is told at start: what was under way may stand in it', async () => {
  const { journal, start } = prepare();
  truncateSync(journal, statSync(journal).size - 4_096);
  await expectRefused(
    start(),
    /^is damaged: put a backup in its place, or move it away to start an empty one/,
  );
});

test('so is a journal that may not be written', async () => {
  const { journal, start } = prepare();
  chmodSync(journal, 0o444);
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  await expectRefused(start(uid), /^cannot be written: name a file in a folder that this user may write to/);
});

test('so is a journal that another process has locked, until it lets go', async () => {
  const { journal, start } = prepare();
  const other = new DatabaseSync(journal);
  other.exec('BEGIN IMMEDIATE');
  await expectRefused(start(), /^is locked by another process: stop that, or wait until it has started/);
  other.close();
  const child = start();
  await child.line('{"level":"info"');
  child.kill('SIGTERM');
  expect((await child.ended).code).toBe(0);
});
