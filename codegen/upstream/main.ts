/** Reports what is newer than the versions that the code was written against, and what to read: `npm run upstream`. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { readUpstreams, report, type Upstream } from './compare.ts';

const TIMEOUT_MS = 30_000;
const run = promisify(execFile);

/** Asks the registry's own client. Returns undefined without that client or without a connection. */
async function newestOf({ registry, name }: Upstream): Promise<string | undefined> {
  const [command, ...args] = registry === 'npm' ? ['npm', 'view', name, 'version'] : ['cargo', 'info', name];
  try {
    // Run outside of any project, whose own lockfile would answer.
    const { stdout } = await run(command, args, { cwd: tmpdir(), timeout: TIMEOUT_MS });
    return registry === 'npm' ? stdout.trim() || undefined : newestCrate(stdout);
  } catch {
    return undefined;
  }
}

function newestCrate(info: string): string | undefined {
  const [, version, latest] = /^version: (\S+)(?: \(latest (\S+)\))?/m.exec(info) ?? [];
  return latest ?? version;
}

for (const line of await report(readUpstreams(), newestOf)) console.log(line);
