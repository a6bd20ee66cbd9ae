import type { DatabaseSync } from 'node:sqlite';
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
import type { PreparedListings } from './preparedListings.ts';
import { createRun, type Run } from './run.ts';

/**
 * Makes the index of listings that come in order of their ids. Gathers what many blocks of them say, and then writes
 * each row once, in the order in which the rows stand in the file. More can be gathered while that is being written.
 */
export interface IndexFill {
  /** Roughly what is gathered, without what is being written. */
  readonly bytes: number;
  readonly isWriting: boolean;
  /** Gathers the words and facets of listings, and writes how long they are. */
  add(listings: PreparedListings): void;
  /** Writes at least `rows` rows, within the caller's transaction. Begins with what is gathered once all else is written. */
  write(rows: number): void;
}

/** What is gathered before it is written. */
interface Gathered {
  readonly words: Run;
  readonly facets: Run;
  firstBlock?: number;
}

const gatherNew = (): Gathered => ({ words: createRun(), facets: createRun() });

export function createIndexFill(db: DatabaseSync): IndexFill {
  const lengths = lengthRows(db);
  const writePostings = createPostingsWriter(db);
  const writeMembers = createMembersWriter(db);
  let gathered = gatherNew();
  let writing: Generator<number, void> | undefined;

  function* written({ words, facets, firstBlock = 0 }: Gathered): Generator<number, void> {
    yield* writePostings(words, firstBlock);
    yield* writeMembers(facets, firstBlock);
  }

  function begin(): Generator<number, void> {
    const begun = written(gathered);
    gathered = gatherNew();
    return begun;
  }

  return {
    get bytes() {
      return gathered.words.bytes + gathered.facets.bytes;
    },
    get isWriting() {
      return writing !== undefined;
    },
    add({ rows, words, facets }) {
      if (rows.length > 0) gathered.firstBlock ??= blockOf(rows[0]![0]);
      gathered.words.addAll(words);
      gathered.facets.addAll(facets);
      for (const [listing, length] of rows) lengths.get(blockOf(listing))[placeOf(listing)] = length;
      lengths.flush();
    },
    write(rows) {
      writing ??= begin();
      for (let left = rows; left > 0;) {
        const { done, value }: IteratorResult<number, void> = writing.next();
        if (done === true) return void (writing = undefined);
        left -= value;
      }
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
  // Faster than one statement that does all three.
  const select = db.prepare(`SELECT id FROM ${table} WHERE ${table} = ?`);
  const insert = db.prepare(`INSERT INTO ${table} (${table}, listings) VALUES (?, ?)`);
  const update = db.prepare(`UPDATE ${table} SET listings = listings + ? WHERE id = ?`);
  select.setReturnArrays(true);

  function enter(text: string, listings: number): number {
    const known = select.get(text) as [id: number] | undefined;
    if (known === undefined) return Number(insert.run(text, listings).lastInsertRowid);
    update.run(listings, known[0]);
    return known[0];
  }

  return function* (run: Run, firstBlock: number): Generator<number> {
    for (const { text, listings, frequencies } of run.sorted()) {
      const id = enter(text, listings.length);
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
