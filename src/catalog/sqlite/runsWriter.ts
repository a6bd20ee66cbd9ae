import type { DatabaseSync } from 'node:sqlite';
import { bytesOf, membersOf, rowId } from './blocks.ts';
import type { BlockRuns } from './indexFill.ts';
import { mergedRuns, type MergedEntry, type RunPart } from './mergedRuns.ts';

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
