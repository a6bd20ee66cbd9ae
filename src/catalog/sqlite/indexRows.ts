import type { DatabaseSync } from 'node:sqlite';
import { BLOCK_SIZE, bytesOf, uint16sOf } from './blocks.ts';
import { postingBuffer, type PostingBuffer } from './postingBuffer.ts';

/** Rows that are changed in memory until `flush` writes them. */
export interface Rows<Key, Row> {
  /** Reads or creates a row. */
  get(key: Key): Row;
  flush(): void;
  /** Forgets all changes. */
  clear(): void;
}

/** A word, a facet or terms: the id of its row, and how many listings have it now. */
export interface Entry {
  readonly id: number;
  listings: number;
  readonly written: number;
}

/** The listings of a block under a facet, or those that are hidden. */
export interface MemberRow {
  listings: number;
  /** Undefined if there is no row yet. */
  data?: Uint8Array;
  readonly written: Uint8Array | undefined;
}

/** Finds or creates rows in the table of words, of facets or of terms, by their text. */
export function entryRows(db: DatabaseSync, table: 'word' | 'facet' | 'terms'): Rows<string, Entry> {
  const select = db.prepare(`SELECT id, listings FROM ${table} WHERE ${table} = ?`);
  const insert = db.prepare(`INSERT INTO ${table} (${table}, listings) VALUES (?, 0)`);
  const update = db.prepare(`UPDATE ${table} SET listings = ? WHERE id = ?`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
  return rows(
    (text) => {
      const known = select.get(text) as { id: number; listings: number } | undefined;
      const { id, listings } = known ?? { id: Number(insert.run(text).lastInsertRowid), listings: 0 };
      return { id, listings, written: listings };
    },
    (_, { id, listings, written }) => {
      if (listings === 0) remove.run(id);
      else if (listings !== written) update.run(listings, id);
    },
  );
}

export function postingRows(db: DatabaseSync): Rows<number, PostingBuffer> {
  const select = db.prepare('SELECT data FROM posting WHERE id = ?');
  const write = db.prepare('INSERT OR REPLACE INTO posting (id, data) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM posting WHERE id = ?');
  return rows(
    (id) => postingBuffer(dataOf(select.get(id))),
    (id, buffer) => {
      const data = buffer.data();
      if (data === undefined) remove.run(id);
      else write.run(id, data);
    },
  );
}

/** Reads and writes which listings of a block are under a facet, or hidden. */
export function memberRows(db: DatabaseSync, table: 'member' | 'hidden'): Rows<number, MemberRow> {
  const key = table === 'member' ? 'id' : 'block';
  const select = db.prepare(`SELECT listings, data FROM ${table} WHERE ${key} = ?`);
  const write = db.prepare(`INSERT OR REPLACE INTO ${table} (${key}, listings, data) VALUES (?, ?, ?)`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${key} = ?`);
  return rows(
    (id) => {
      const known = (select.get(id) ?? { listings: 0 }) as { listings: number; data?: Uint8Array };
      return { ...known, written: known.data };
    },
    (id, { listings, data, written }) => {
      if (data === undefined || data === written) return;
      if (listings === 0) remove.run(id);
      else write.run(id, listings, data);
    },
  );
}

export function lengthRows(db: DatabaseSync): Rows<number, Uint16Array> {
  const select = db.prepare('SELECT data FROM length WHERE block = ?');
  const write = db.prepare('INSERT OR REPLACE INTO length (block, data) VALUES (?, ?)');
  return rows(
    (block) => {
      const known = dataOf(select.get(block));
      return known === undefined ? new Uint16Array(BLOCK_SIZE) : uint16sOf(known);
    },
    (block, lengths) => void write.run(block, bytesOf(lengths)),
  );
}

/** Makes rows that are read by `load`, and written by `write`. */
export function rows<Key, Row>(load: (key: Key) => Row, write: (key: Key, row: Row) => void): Rows<Key, Row> {
  const loaded = new Map<Key, Row>();
  return {
    get(key) {
      let row = loaded.get(key);
      if (row === undefined) loaded.set(key, (row = load(key)));
      return row;
    },
    flush() {
      for (const [key, row] of loaded) write(key, row);
      loaded.clear();
    },
    clear: () => loaded.clear(),
  };
}

function dataOf(row: Record<string, unknown> | undefined): Uint8Array | undefined {
  return row?.['data'] as Uint8Array | undefined;
}
