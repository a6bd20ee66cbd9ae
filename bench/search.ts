import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openReadOnly } from '../src/catalog/sqlite/database.ts';
import { createSqliteStore } from '../src/catalog/sqlite/store.ts';
import { compareEngines } from './search/compare.ts';
import { measureFurtherFilters, measureLists } from './search/lists.ts';
import { openPeer } from './search/peer.ts';
import { queryKinds, QUERIES_OF_EACH_KIND } from './search/queries.ts';
import { mebibytes } from './search/report.ts';

const SIZES = '1000,10000,100000,1000000';
const SEED = 1;

/** The catalog beside plain FTS5, over synthetic listings. `sizes`: numbers of listings, such as `1000,10000`. */
export async function benchSearch(sizes = SIZES): Promise<void> {
  const catalogs = sizes.split(',').map(Number);
  if (!catalogs.every((listings) => Number.isInteger(listings) && listings > 0))
    throw new Error(`${sizes} are no numbers of listings: give some such as ${SIZES}`);
  console.log(
    `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`,
  );
  console.log(
    [
      'Both engines rank the same listings by the same formula; FTS5 scores every match. × says how many times faster',
      'the catalog is, "same page" how many pages held the same listings in the same order. Beside 1,000,000 listings FTS5',
      'answers only as many queries as it can in a few seconds. Filters: of few, and of 30 % of all listings.',
    ].join('\n'),
  );
  for (const listings of catalogs) await measureSize(listings);
}

async function measureSize(listings: number): Promise<void> {
  using folder = temporaryFolder();
  const [catalogPath, peerPath] = [join(folder.path, 'catalog.db'), join(folder.path, 'fts5.db')];
  await Promise.all([
    run('build.ts', ['catalog', catalogPath, listings, SEED]),
    run('build.ts', ['peer', peerPath, listings, SEED]),
  ]);
  console.log(
    `\n## ${listings} listings\n\nfiles: catalog ${mebibytes(statSync(catalogPath).size)}, FTS5 without the listings themselves ${mebibytes(statSync(peerPath).size)}`,
  );
  {
    const store = createSqliteStore(openReadOnly(catalogPath));
    using peer = openPeer(peerPath);
    const kinds = queryKinds(SEED, listings, QUERIES_OF_EACH_KIND);
    await compareEngines(listings, store, peer, kinds);
    await measureFurtherFilters(listings, store, kinds);
    await measureLists(SEED, listings, store);
    store.close();
  }
  await run('load.ts', [catalogPath, listings, SEED, 'lexical']);
  await run('load.ts', [catalogPath, listings, SEED, 'hybrid']);
}

/** Runs a part in a process of its own, whose memory is its own and goes with it. */
async function run(part: string, values: readonly (string | number)[]): Promise<void> {
  const child = fork(new URL(`./search/${part}`, import.meta.url), values.map(String));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${part} ${values.join(' ')} failed`);
}

/** Goes with the process too: on Ctrl-C, and when it is told to end. */
function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = (): void => {
    remove();
    process.exit(130);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, end);
  return {
    path,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, end);
      remove();
    },
  };
}
