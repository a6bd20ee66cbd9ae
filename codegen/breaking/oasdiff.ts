import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spellOut, type Contract } from './spellOut.ts';

/** A change that breaks clients, as oasdiff reports it. */
export interface Finding {
  id: string;
  text: string;
  /** `info` for a rule about the version, absent for a change of an operation. */
  section: string;
  operation?: string;
  path?: string;
}

const BUILD_LIMIT_MS = 300_000;

const run = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Builds the oasdiff that go.mod pins, or finds it in Go's cache. Returns the path of the program, or the reason why
 * there is none: Go is missing, or the module cannot be downloaded.
 */
export async function buildOasdiff(): Promise<{ program: string } | { missing: string }> {
  try {
    const { stdout } = await run('go', ['tool', '-n', 'oasdiff'], { cwd: folder, timeout: BUILD_LIMIT_MS });
    return { program: stdout.trim() };
  } catch (error) {
    return { missing: `oasdiff cannot be built (it needs Go 1.26): ${String(error)}` };
  }
}

/** Returns every change from one contract to the next that can break a client. */
export async function findBreakingChanges(
  program: string,
  before: Contract,
  after: Contract,
): Promise<Finding[]> {
  const files = await mkdtemp(join(tmpdir(), 'contracts-'));
  try {
    const paths = [join(files, 'before.json'), join(files, 'after.json')];
    await writeFile(paths[0]!, JSON.stringify(spellOut(before)));
    await writeFile(paths[1]!, JSON.stringify(spellOut(after)));
    const args = ['breaking', '--format', 'json', '--severity-levels', join(folder, 'levels.txt'), ...paths];
    const { stdout } = await run(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return JSON.parse(stdout) as Finding[];
  } finally {
    await rm(files, { recursive: true });
  }
}
