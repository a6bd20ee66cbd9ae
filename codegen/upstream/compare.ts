/** Compares the versions that the code was written against with the newest ones. */
import { readFileSync } from 'node:fs';

export interface Upstream {
  readonly what: string;
  /** The version that the code was written against. */
  readonly version: string;
  /** The registry to ask for its newest version, and its name there. */
  readonly registry: 'npm' | 'crates';
  readonly name: string;
  /** 'major': only another first number counts. */
  readonly compare: 'whole' | 'major';
  /** The text to read about a newer version's changes, and then the place to look at in the code. */
  readonly read: string;
  readonly then: string;
}

export function readUpstreams(): Upstream[] {
  const text = readFileSync(new URL('versions.json', import.meta.url), 'utf8');
  return JSON.parse(text) as Upstream[];
}

/** Returns the newest version that the registry has; undefined if it cannot be asked. */
export type Newest = (upstream: Upstream) => Promise<string | undefined>;

/** Returns the lines to print: a row for each upstream, and what to read if there is a newer version. */
export async function report(upstreams: readonly Upstream[], newestOf: Newest): Promise<string[]> {
  const found = await Promise.all(
    upstreams.map(async (upstream) => ({ ...upstream, newest: await newestOf(upstream) })),
  );
  const width = Math.max(...upstreams.map(({ what }) => what.length));
  return found.flatMap(({ newest, ...upstream }) => {
    const row = `${upstream.what.padEnd(width)}  written against ${upstream.version}`;
    if (newest === undefined) return [`${row}; skipped: the registry (${upstream.registry}) did not answer`];
    if (!isNewer(upstream, newest)) return [`${row}, the newest`];
    return [`${row}, newest ${newest}`, `  read:  ${upstream.read}`, `  then:  ${upstream.then}`];
  });
}

function isNewer({ version, compare }: Upstream, newest: string): boolean {
  const parts = compare === 'major' ? 1 : 3;
  const [known, now] = [version, newest].map((text) => text.split('.').slice(0, parts).map(Number));
  const at = now!.findIndex((part, index) => part !== (known![index] ?? 0));
  return at !== -1 && now![at]! > (known![at] ?? 0);
}
