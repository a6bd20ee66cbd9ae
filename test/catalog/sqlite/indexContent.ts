import type { DatabaseSync } from 'node:sqlite';
import { BLOCK_SIZE, readMembers, readPostings } from '../../../src/catalog/sqlite/blocks.ts';

/** Rows of blocks have the id `owner * BLOCKS_PER_OWNER + block`. */
const BLOCKS_PER_OWNER = 2 ** 20;

interface DataRow {
  readonly id: number;
  readonly listings: number;
  readonly data: Uint8Array;
}

/** What the index says, without the numbers that only tie its rows together. */
export function indexContent(db: DatabaseSync) {
  const rows = <Row>(sql: string): Row[] => db.prepare(sql).all() as Row[];
  const texts = (sql: string): Map<number, string> =>
    new Map(rows<{ id: number; text: string }>(sql).map(({ id, text }) => [id, text]));
  const words = texts('SELECT id, word AS text FROM word');
  const facets = texts('SELECT id, facet AS text FROM facet');
  const terms = texts('SELECT id, terms AS text FROM terms');
  /** Whose row it is and the first of its listings. */
  const placed = ({ id }: DataRow, owners: ReadonlyMap<number, string>): [string, number] => [
    owners.get(Math.floor(id / BLOCKS_PER_OWNER)) ?? `nobody's row ${id}`,
    (id % BLOCKS_PER_OWNER) * BLOCK_SIZE,
  ];
  const times = (sql: string): Entry[] =>
    rows<{ block: number; data: Uint8Array }>(sql).flatMap(({ block, data }) =>
      [...new Float64Array(data.slice().buffer)]
        .map((ms, place): Entry => [block * BLOCK_SIZE + place, ms])
        .filter(([, ms]) => ms !== 0),
    );
  return {
    state: rows('SELECT listings, tokens FROM state'),
    /** How many listings have each word, and match each combination of filters. */
    counts: sorted(
      rows<{ text: string; listings: number }>(COUNTS).map(({ text, listings }) => [text, listings]),
    ),
    /** How often each word stands in each listing (weighted). */
    postings: sorted(
      rows<DataRow>('SELECT id, data FROM posting').flatMap((row) => {
        const [word, first] = placed(row, words);
        const { places, frequencies } = readPostings(row.data);
        return [...places].map((place, at): Entry => [word, first + place, frequencies[at]!]);
      }),
    ),
    members: sorted(
      rows<DataRow>('SELECT id, listings, data FROM member').flatMap((row) => {
        const [filters, first] = placed(row, facets);
        const places = readMembers(row.data).slice(0, BLOCK_SIZE);
        return [[filters, first, row.listings], ...places.map((place): Entry => [filters, first + place])];
      }),
    ),
    /** The lowest amount of each listing under each of its terms. */
    prices: sorted(
      rows<DataRow & { amounts: Uint8Array }>('SELECT id, listings, data, amounts FROM price').flatMap(
        (row) => {
          const [text, first] = placed(row, terms);
          const amounts = new Float64Array(row.amounts.slice().buffer);
          const places = readMembers(row.data).slice(0, BLOCK_SIZE);
          return [
            [text, first, row.listings],
            ...places.map((place, at): Entry => [text, first + place, amounts[at]!]),
          ];
        },
      ),
    ),
    /** When each listing was last paid for. */
    paidAt: times('SELECT block, data FROM paid_at'),
    /** Until when each listing shows a proof. */
    proven: times('SELECT block, data FROM proven'),
    /** How many words each listing has. */
    lengths: rows<{ block: number; data: Uint8Array }>('SELECT block, data FROM length').flatMap(
      ({ block, data }) =>
        [...new Uint16Array(data.slice().buffer)]
          .map((length, place): Entry => [block * BLOCK_SIZE + place, length])
          .filter(([, length]) => length !== 0),
    ),
  };
}

type Entry = (string | number)[];

const COUNTS =
  'SELECT word AS text, listings FROM word UNION ALL SELECT facet, listings FROM facet UNION ALL SELECT terms, listings FROM terms';

function sorted(entries: Entry[]): string[] {
  return entries.map((entry) => JSON.stringify(entry)).sort();
}
