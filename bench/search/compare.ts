import type { Filters } from '../../src/catalog/index.ts';
import type { SearchPage, Store } from '../../src/catalog/store.ts';
import { FILTERS, numberOf } from './listings.ts';
import type { Peer } from './peer.ts';
import type { QueryKind } from './queries.ts';
import { milliseconds, percentile, printColumns, spread, timed } from './report.ts';

const PAGE_SIZE = 20;
const LAST_PAGE = 10;
const WARM_UP_QUERIES = 20;
/** The peer answers as many of the queries as it can in this time, and at least a few. */
const PEER_BUDGET_MS = { unfiltered: 15_000, filtered: 4_000 };
const LEAST_PEER_QUERIES = 3;

/** One line of the table: both engines over the same queries. */
interface Measured {
  readonly ours: number[];
  readonly peer: number[];
  /** Pages that the peer found too, and those of them with the same listings in the same order. */
  compared: number;
  equal: number;
}

/** The first and the tenth page, in this thread: the store of the catalog beside plain FTS5. */
export async function compareEngines(
  listings: number,
  store: Store,
  peer: Peer,
  kinds: readonly QueryKind[],
): Promise<void> {
  const rows = [];
  for (const { name, queries } of kinds) {
    for (const query of queries.slice(0, WARM_UP_QUERIES))
      store.search(query.split(' '), {}, PAGE_SIZE, undefined);
    for (const [filter, filtersFor] of FILTERS) {
      const { first, last } = await measure(store, peer, queries, filter, filtersFor);
      rows.push([name, filter, '1', ...cells(first)]);
      if (last.ours.length > 0) rows.push([name, filter, String(LAST_PAGE), ...cells(last)]);
      console.error(`${listings} listings: ${name}, ${filter || 'no filter'}`);
    }
  }
  printColumns(
    `search of ${listings} listings, ${PAGE_SIZE} to a page, one at a time in one thread, ms`,
    ['query', 'filters', 'page'],
    [
      'queries',
      'p50',
      'p95',
      'p99',
      'FTS5 queries',
      'FTS5 p50',
      'FTS5 p95',
      'FTS5 p99',
      'p50 ×',
      'p95 ×',
      'same page',
    ],
    rows,
  );
}

async function measure(
  store: Store,
  peer: Peer,
  queries: readonly string[],
  filter: string,
  filtersFor: (nth: number) => Filters,
): Promise<{ first: Measured; last: Measured }> {
  const first: Measured = { ours: [], peer: [], compared: 0, equal: 0 };
  const last: Measured = { ours: [], peer: [], compared: 0, equal: 0 };
  const budgetMs = PEER_BUDGET_MS[filter === '' ? 'unfiltered' : 'filtered'];
  for (const [nth, query] of queries.entries()) {
    const words = query.split(' ');
    const filters = filtersFor(nth);
    const turn = async (measured: Measured, page: number, after?: SearchPage): Promise<SearchPage> => {
      const { value, ms } = await timed(() => store.search(words, filters, PAGE_SIZE, after?.next));
      if (value === undefined) throw new Error('a walk expired without writes');
      measured.ours.push(ms);
      await peerTurn(measured, page, value);
      return value;
    };
    const peerTurn = async (measured: Measured, page: number, { items }: SearchPage): Promise<void> => {
      const spentMs = measured.peer.reduce((sum, ms) => sum + ms, 0);
      if (spentMs > budgetMs && measured.peer.length >= LEAST_PEER_QUERIES) return;
      const found = await timed(() => peer.search(words, filters, PAGE_SIZE, PAGE_SIZE * (page - 1)));
      measured.peer.push(found.ms);
      measured.compared += 1;
      const isEqual = items.map((item) => numberOf(item) + 1).join() === found.value.join();
      if (isEqual) measured.equal += 1;
    };

    let page: SearchPage | undefined = await turn(first, 1);
    for (let number = 2; number < LAST_PAGE && page?.next; number++)
      page = store.search(words, filters, PAGE_SIZE, page.next);
    if (page?.next) await turn(last, LAST_PAGE, page);
  }
  return { first, last };
}

function cells({ ours, peer, compared, equal }: Measured): string[] {
  const factors = [50, 95].map((percent) => percentile(peer, percent) / percentile(ours, percent));
  return [
    String(ours.length),
    ...spread(ours),
    String(peer.length),
    ...spread(peer),
    ...factors.map(milliseconds),
    `${equal} of ${compared}`,
  ];
}
