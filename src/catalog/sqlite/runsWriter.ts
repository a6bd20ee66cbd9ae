import type { DatabaseSync } from 'node:sqlite';
import { BLOCK_SIZE, membersOf, rowId } from './blocks.ts';
import type { BlockRuns } from './indexFill.ts';
import { mergedRuns, type MergedEntry, type RunPart } from './mergedRuns.ts';
import { NUMBERS_PER_LISTING, type RunKind } from './run.ts';

const TABLES = { words: 'word', facets: 'facet' } as const satisfies Record<RunKind, string>;

/**
 * Returns a function that writes the words and facets of many blocks into an index that has nothing of these blocks. It
 * yields the number of rows after each word and facet.
 */
export function createRunsWriter(db: DatabaseSync): (runs: readonly BlockRuns[]) => Generator<number, void> {
  const writePostings = createPostingsWriter(db);
  const writeMembers = createMembersWriter(db);

  return function* (runs) {
    const words = runs.map((run) => run.words);
    const facets = runs.map((run) => run.facets);
    yield* writePostings(mergedRuns('words', words));
    yield* writeMembers(mergedRuns('facets', facets));
  };
}

function createPostingsWriter(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO posting (id, data) VALUES (?, ?)');
  return createEntriesWriter(db, 'words', (id, postings) => void insert.run(id, postings));
}

function createMembersWriter(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO member (id, listings, data) VALUES (?, ?, ?)');
  return createEntriesWriter(db, 'facets', (id, places) => {
    insert.run(id, places.length, membersOf(places));
  });
}

/** Returns a function that writes words or facets with their rows, and yields the number of rows after each. */
function createEntriesWriter(
  db: DatabaseSync,
  kind: RunKind,
  /** The numbers are valid until it returns. */
  writeRow: (id: number, numbers: Uint16Array) => void,
) {
  const table = TABLES[kind];
  const join = createJoin(kind);
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
        writeRow(rowId(id, entry.parts[from]!.run.block), join(entry.parts, from, to));
        from = to;
      }
      yield rows;
    }
  };
}

function endOfBlock(parts: readonly RunPart[], from: number): number {
  let to = from + 1;
  while (to < parts.length && parts[to]!.run.block === parts[from]!.run.block) to += 1;
  return to;
}

/** Returns a function that joins what parts of a block say: all places, and after these all frequencies of words. */
function createJoin(kind: RunKind) {
  const perListing = NUMBERS_PER_LISTING[kind];
  const joined = new Uint16Array(perListing * BLOCK_SIZE);
  // Millions of rows are joined: an array for each would cost more than all else here.
  const ofLength: Uint16Array[] = [];

  return (parts: readonly RunPart[], first: number, end: number): Uint16Array => {
    let length = 0;
    for (let half = 0; half < perListing; half++) {
      for (let nth = first; nth < end; nth++) {
        const { run, from, listings } = parts[nth]!;
        const start = from + half * listings;
        for (let at = start; at < start + listings; at++) joined[length++] = run.numbers[at]!;
      }
    }
    return (ofLength[length] ??= joined.subarray(0, length));
  };
}
