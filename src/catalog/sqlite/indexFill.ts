import type { DatabaseSync } from 'node:sqlite';
import { blockOf, bytesOf, membersOf, placeOf, rowId } from './blocks.ts';
import { lengthRows } from './indexRows.ts';
import { mergedRuns, type MergedEntry, type RunPart } from './mergedRuns.ts';
import type { NewValues } from './listingWriter.ts';
import type { Run } from './run.ts';

/**
 * Makes the index of listings that come in order of their ids. Gathers the runs of many blocks, and then writes each row
 * once, in the order in which the rows stand in the file. More can be gathered while that is being written.
 */
export interface IndexFill {
  /** The bytes of the whole blocks that are gathered, without what is being written. */
  readonly bytes: number;
  readonly isWriting: boolean;
  /** Gathers words and facets, and writes how long the listings are. */
  add(rows: readonly NewValues[], runs: readonly BlockRuns[]): void;
  /** Takes the block under way for whole: no listings follow. */
  end(): void;
  /** Writes at least `rows` rows, within the caller's transaction. Begins with what is gathered once all else is written. */
  write(rows: number): void;
}

/** The words and facets of listings of one block. */
export interface BlockRuns {
  readonly words: Run;
  readonly facets: Run;
}

export function createIndexFill(db: DatabaseSync): IndexFill {
  const lengths = lengthRows(db);
  const writePostings = createPostingsWriter(db);
  const writeMembers = createMembersWriter(db);
  /** Blocks that are whole, and the one under way: a row is written once, with all listings of its block. */
  let whole: BlockRuns[] = [];
  let underWay: BlockRuns[] = [];
  let bytes = 0;
  let writing: Generator<number, void> | undefined;

  function* written(runs: readonly BlockRuns[]): Generator<number, void> {
    yield* writePostings(
      mergedRuns(
        'words',
        runs.map(({ words }) => words),
      ),
    );
    yield* writeMembers(
      mergedRuns(
        'facets',
        runs.map(({ facets }) => facets),
      ),
    );
  }

  function begin(): Generator<number, void> {
    const begun = written(whole);
    whole = [];
    bytes = 0;
    return begun;
  }

  function end(): void {
    for (const { words, facets } of underWay) bytes += bytesIn(words) + bytesIn(facets);
    whole.push(...underWay);
    underWay = [];
  }

  return {
    get bytes() {
      return bytes;
    },
    get isWriting() {
      return writing !== undefined;
    },
    add(rows, runs) {
      for (const run of runs) {
        if (underWay[0] !== undefined && underWay[0].words.block !== run.words.block) end();
        underWay.push(run);
      }
      for (const [listing, length] of rows) lengths.get(blockOf(listing))[placeOf(listing)] = length;
      lengths.flush();
    },
    end,
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

const bytesIn = ({ texts, counts, numbers }: Run): number =>
  texts.byteLength + counts.byteLength + numbers.byteLength;

function createPostingsWriter(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO posting (id, data) VALUES (?, ?)');
  return createEntriesWriter(db, 'word', (id, parts) => void insert.run(id, bytesOf(joinedPostings(parts))));
}

function createMembersWriter(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO member (id, listings, data) VALUES (?, ?, ?)');
  return createEntriesWriter(db, 'facet', (id, parts) => {
    const places = joined(parts);
    insert.run(id, places.length, membersOf(places));
  });
}

/** Returns a function that writes words or facets with their rows, and yields the number of rows after each. */
function createEntriesWriter(
  db: DatabaseSync,
  table: 'word' | 'facet',
  writeRow: (id: number, parts: readonly Uint16Array[]) => void,
) {
  // Faster than one statement that does all three.
  const select = db.prepare(`SELECT id FROM ${table} WHERE ${table} = ?`);
  const insert = db.prepare(`INSERT INTO ${table} (${table}, listings) VALUES (?, ?)`);
  const update = db.prepare(`UPDATE ${table} SET listings = listings + ? WHERE id = ?`);
  select.setReturnArrays(true);

  function enter({ text, listings }: MergedEntry): number {
    const known = select.get(text) as [id: number] | undefined;
    if (known === undefined) return Number(insert.run(text, listings).lastInsertRowid);
    update.run(listings, known[0]);
    return known[0];
  }

  return function* (entries: Iterable<MergedEntry>): Generator<number> {
    for (const entry of entries) {
      const id = enter(entry);
      let rows = 1;
      for (let from = 0; from < entry.parts.length; rows++) {
        const to = endOfBlock(entry.parts, from);
        writeRow(
          rowId(id, entry.parts[from]!.block),
          entry.parts.slice(from, to).map(({ numbers }) => numbers),
        );
        from = to;
      }
      yield rows;
    }
  };
}

function endOfBlock(parts: readonly RunPart[], from: number): number {
  let to = from + 1;
  while (to < parts.length && parts[to]!.block === parts[from]!.block) to += 1;
  return to;
}

function joined(parts: readonly Uint16Array[]): Uint16Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Joins what each part says: first its places, and then as many frequencies. */
function joinedPostings(parts: readonly Uint16Array[]): Uint16Array {
  if (parts.length === 1) return parts[0]!;
  const half = (part: Uint16Array): number => part.length / 2;
  const places = parts.map((part) => part.subarray(0, half(part)));
  const frequencies = parts.map((part) => part.subarray(half(part)));
  return joined([...places, ...frequencies]);
}
