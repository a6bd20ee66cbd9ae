import type { DatabaseSync } from 'node:sqlite';
import type { Wording } from '../search/wording.ts';
import {
  blockOf,
  membersOf,
  placeOf,
  postingsData,
  readMembers,
  readPostings,
  rowId,
  BLOCK_SIZE,
} from './blocks.ts';
import { lengthRows } from './indexRows.ts';
import type { IndexWriter } from './indexWriter.ts';
import { createRun, type Run } from './run.ts';

/**
 * Makes the index of listings that come in order of their ids. Gathers what many blocks of them say, and then writes
 * each row once, in the order in which the rows stand in the file.
 */
export interface IndexFill extends Pick<IndexWriter, 'reword' | 'addMember'> {
  /** Roughly what is gathered. */
  readonly bytes: number;
  /** Writes how long the listings are. */
  flush(): void;
  /** Writes at least `rows` rows of what is gathered, within the caller's transaction. Returns true if that was all. */
  write(rows: number): boolean;
}

export function createIndexFill(db: DatabaseSync): IndexFill {
  const lengths = lengthRows(db);
  const writePostings = createPostingsWriter(db);
  const writeMembers = createMembersWriter(db);
  let words = createRun();
  let facets = createRun();
  let firstBlock: number | undefined;
  let writing: Generator<number, void> | undefined;

  function* written(): Generator<number, void> {
    yield* writePostings(words, firstBlock ?? 0);
    words = createRun();
    yield* writeMembers(facets, firstBlock ?? 0);
    facets = createRun();
    firstBlock = undefined;
  }

  return {
    get bytes() {
      return words.bytes + facets.bytes;
    },
    reword(listing, _, wording: Wording) {
      firstBlock ??= blockOf(listing);
      for (const [word, frequency] of wording.words) words.add(word, listing, frequency);
      lengths.get(blockOf(listing))[placeOf(listing)] = wording.length;
    },
    addMember: (listing, facet) => facets.add(facet, listing, 1),
    flush: () => lengths.flush(),
    write(rows) {
      writing ??= written();
      for (let left = rows; left > 0;) {
        const { done, value }: IteratorResult<number, void> = writing.next();
        if (done === true) {
          writing = undefined;
          return true;
        }
        left -= value;
      }
      return false;
    },
  };
}

/** Writes the row of one entry and block. It may be there already if the run before ended in the block. */
type WriteRow = (id: number, mayBeThere: boolean, places: Uint16Array, frequencies: Uint16Array) => void;

function createPostingsWriter(db: DatabaseSync) {
  const select = db.prepare('SELECT data FROM posting WHERE id = ?');
  const write = db.prepare('INSERT OR REPLACE INTO posting (id, data) VALUES (?, ?)');
  return createEntriesWriter(db, 'word', (id, mayBeThere, places, frequencies) => {
    const row = mayBeThere ? (select.get(id) as { data: Uint8Array } | undefined) : undefined;
    const known = row && readPostings(row.data);
    write.run(
      id,
      known === undefined
        ? postingsData(places, frequencies)
        : postingsData(joined(known.places, places), joined(known.frequencies, frequencies)),
    );
  });
}

function createMembersWriter(db: DatabaseSync) {
  const select = db.prepare('SELECT data FROM member WHERE id = ?');
  const write = db.prepare('INSERT OR REPLACE INTO member (id, listings, data) VALUES (?, ?, ?)');
  return createEntriesWriter(db, 'facet', (id, mayBeThere, places) => {
    const row = mayBeThere ? (select.get(id) as { data: Uint8Array } | undefined) : undefined;
    const known = row && Uint16Array.from(readMembers(row.data).slice(0, BLOCK_SIZE));
    const all = known === undefined ? places : joined(known, places);
    write.run(id, all.length, membersOf(all));
  });
}

/** Returns a function that writes a run, and yields the number of rows after each entry. */
function createEntriesWriter(db: DatabaseSync, table: 'word' | 'facet', writeRow: WriteRow) {
  const enter = db.prepare(
    `INSERT INTO ${table} (${table}, listings) VALUES (?, ?)
     ON CONFLICT (${table}) DO UPDATE SET listings = listings + excluded.listings RETURNING id`,
  );
  return function* (run: Run, firstBlock: number): Generator<number> {
    for (const { text, listings, frequencies } of run.sorted()) {
      const { id } = enter.get(text, listings.length) as { id: number };
      let rows = 1;
      for (let from = 0; from < listings.length; rows++) {
        const block = blockOf(listings[from]!);
        let to = from + 1;
        while (to < listings.length && blockOf(listings[to]!) === block) to += 1;
        const places = new Uint16Array(to - from);
        for (let nth = from; nth < to; nth++) places[nth - from] = placeOf(listings[nth]!);
        writeRow(rowId(id, block), block === firstBlock, places, frequencies.subarray(from, to));
        from = to;
      }
      yield rows;
    }
  };
}

function joined(one: Uint16Array, other: Uint16Array): Uint16Array {
  const both = new Uint16Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
