import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Wording } from '../search/wording.ts';
import { BLOCK_SIZE, blockOf, bytesOf, placeOf, rowId, uint16sOf, withMember } from './blocks.ts';
import { postingBuffer } from './postingBuffer.ts';
import type { PostingBuffer } from './postingBuffer.ts';

/** Keeps the index in step with the listings. Gathers changes, which `flush` writes within the caller's transaction. */
export interface IndexWriter {
  /** Replaces a listing's words; `before` is undefined for a new listing. */
  reword(listing: number, before: Wording | undefined, after: Wording): void;
  /** Enters a listing under a facet, once. */
  addMember(listing: number, facet: string): void;
  flush(): void;
  /** Forgets the gathered changes, after a transaction that failed. */
  discard(): void;
}

/** A word or a facet: the id of its row, and how many listings have it now. */
interface Entry {
  readonly id: number;
  listings: number;
}

export function createIndexWriter(db: DatabaseSync): IndexWriter {
  const words = entries(db, 'word');
  const facets = entries(db, 'facet');
  const postings = rows<PostingBuffer>();
  const members = rows<{ listings: number; data: Uint8Array }>();
  const lengths = rows<Uint16Array>();

  const selectPosting = db.prepare('SELECT data FROM posting WHERE id = ?');
  const writePosting = db.prepare('INSERT OR REPLACE INTO posting (id, data) VALUES (?, ?)');
  const deletePosting = db.prepare('DELETE FROM posting WHERE id = ?');
  const selectMember = db.prepare('SELECT listings, data FROM member WHERE id = ?');
  const writeMember = db.prepare('INSERT OR REPLACE INTO member (id, listings, data) VALUES (?, ?, ?)');
  const selectLength = db.prepare('SELECT data FROM length WHERE block = ?');
  const writeLength = db.prepare('INSERT OR REPLACE INTO length (block, data) VALUES (?, ?)');

  function setPosting(word: string, listing: number, frequency: number): Entry {
    const entry = words.get(word);
    const row = rowId(entry.id, blockOf(listing));
    const buffer = postings.get(row, () => postingBuffer(dataOf(selectPosting.get(row))));
    buffer.set(placeOf(listing), frequency);
    return entry;
  }

  function setLength(listing: number, length: number): void {
    const block = blockOf(listing);
    const data = lengths.get(block, () => {
      const known = dataOf(selectLength.get(block));
      return known === undefined ? new Uint16Array(BLOCK_SIZE) : uint16sOf(known);
    });
    data[placeOf(listing)] = length;
  }

  return {
    reword(listing, before, after) {
      for (const word of before?.words.keys() ?? []) {
        if (!after.words.has(word)) setPosting(word, listing, 0).listings -= 1;
      }
      for (const [word, frequency] of after.words) {
        const known = before?.words.get(word);
        if (known === frequency) continue;
        const entry = setPosting(word, listing, frequency);
        if (known === undefined) entry.listings += 1;
      }
      if (before?.length !== after.length) setLength(listing, after.length);
    },
    addMember(listing, facet) {
      const entry = facets.get(facet);
      const row = rowId(entry.id, blockOf(listing));
      const known =
        members.find(row) ?? (selectMember.get(row) as { listings: number; data: Uint8Array } | undefined);
      const data = withMember(known?.data, placeOf(listing));
      if (data === undefined) return;
      members.set(row, { listings: (known?.listings ?? 0) + 1, data });
      entry.listings += 1;
    },
    flush() {
      for (const [row, buffer] of postings.drain()) {
        const data = buffer.data();
        if (data === undefined) deletePosting.run(row);
        else writePosting.run(row, data);
      }
      for (const [row, { listings, data }] of members.drain()) writeMember.run(row, listings, data);
      for (const [block, data] of lengths.drain()) writeLength.run(block, bytesOf(data));
      words.flush();
      facets.flush();
    },
    discard() {
      for (const gathered of [postings, members, lengths, words, facets]) gathered.clear();
    },
  };
}

function dataOf(row: Record<string, unknown> | undefined): Uint8Array | undefined {
  return row?.['data'] as Uint8Array | undefined;
}

/** Keeps rows that are changed in memory until they are written. */
function rows<Row>() {
  const gathered = new Map<number, Row>();
  return {
    find: (id: number) => gathered.get(id),
    get(id: number, load: () => Row): Row {
      let row = gathered.get(id);
      if (row === undefined) gathered.set(id, (row = load()));
      return row;
    },
    set: (id: number, row: Row) => void gathered.set(id, row),
    *drain(): Iterable<[number, Row]> {
      yield* gathered;
      gathered.clear();
    },
    clear: () => gathered.clear(),
  };
}

/** Finds or creates rows in the table of words, or of facets, by their text. */
function entries(db: DatabaseSync, table: 'word' | 'facet') {
  const gathered = new Map<string, Entry & { written: number }>();
  const select = db.prepare(`SELECT id, listings FROM ${table} WHERE ${table} = ?`);
  const insert = db.prepare(`INSERT INTO ${table} (${table}, listings) VALUES (?, 0)`);
  const update = db.prepare(`UPDATE ${table} SET listings = ? WHERE id = ?`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const made = (text: SQLInputValue): number => Number(insert.run(text).lastInsertRowid);
  return {
    get(text: string): Entry {
      let entry = gathered.get(text);
      if (entry === undefined) {
        const known = select.get(text) as { id: number; listings: number } | undefined;
        const id = known?.id ?? made(text);
        entry = { id, listings: known?.listings ?? 0, written: known?.listings ?? 0 };
        gathered.set(text, entry);
      }
      return entry;
    },
    flush(): void {
      for (const { id, listings, written } of gathered.values()) {
        if (listings === 0) remove.run(id);
        else if (listings !== written) update.run(listings, id);
      }
      gathered.clear();
    },
    clear: () => gathered.clear(),
  };
}
