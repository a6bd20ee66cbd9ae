import type { Store } from '../../src/catalog/store.ts';
import { FILTERS, further } from './listings.ts';
import type { QueryKind } from './queries.ts';
import { printColumns, spread, timed } from './report.ts';
import { between, createRandom } from './words.ts';

const PAGE_SIZE = 20;
const PAGES = 200;
/** Apart from the streams of listings and queries. */
const OFFSET_STREAM = -2;

/** Pages of the list at its beginning and somewhere in its last tenth, in this thread. */
export async function measureLists(seed: number, listings: number, store: Store): Promise<void> {
  const random = createRandom(seed, OFFSET_STREAM);
  const rows: string[][] = [];
  for (const [filter, filtersFor] of [...FILTERS, ...further(listings)]) {
    const { total } = store.list(filtersFor(0), 0, PAGE_SIZE);
    for (const where of ['offset 0', 'last tenth']) {
      const times: number[] = [];
      for (let nth = 0; nth < PAGES; nth++) {
        const offset = where === 'offset 0' ? 0 : between(random, Math.floor(0.9 * total), total - 1);
        times.push((await timed(() => store.list(filtersFor(nth), offset, PAGE_SIZE))).ms);
      }
      rows.push([filter, where, String(total), ...spread(times)]);
    }
  }
  printColumns(
    `list of ${listings} listings, ${PAGE_SIZE} to a page, in one thread, ms`,
    ['filters', 'page'],
    ['total', 'p50', 'p95', 'p99'],
    rows,
  );
}

/** The first pages of searches under the filters that the peer does not have, in this thread. */
export async function measureFurtherFilters(
  listings: number,
  store: Store,
  kinds: readonly QueryKind[],
): Promise<void> {
  const rows: string[][] = [];
  for (const { name, queries } of kinds)
    for (const [filter, filtersFor] of further(listings)) {
      const times: number[] = [];
      for (const [nth, query] of queries.entries()) {
        const search = () => store.search(query.split(' '), filtersFor(nth), PAGE_SIZE, undefined);
        times.push((await timed(search)).ms);
      }
      rows.push([name, filter, ...spread(times)]);
    }
  printColumns(
    `search of ${listings} listings under further filters, first page, in one thread, ms`,
    ['query', 'filters'],
    ['p50', 'p95', 'p99'],
    rows,
  );
}
