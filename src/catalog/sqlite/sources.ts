import type { DatabaseSync } from 'node:sqlite';
import { blockOfRow, readPostings, rowId, type Postings } from './blocks.ts';

/** If a word has at most this many listings per block on average, all its rows are read at once. */
const SPARSE_PER_BLOCK = 32;

/** Reads the postings of a word. */
export interface Source {
  /** False if the word is certainly not in the block. */
  has(block: number): boolean;
  read(block: number): Postings | undefined;
}

const NOWHERE: Source = { has: () => false, read: () => undefined };

/** `id` is that of the word's row, undefined if no listing has the word. `matches` is roughly how many listings do. */
export function createSources(db: DatabaseSync) {
  const selectOne = db.prepare('SELECT data FROM posting WHERE id = ?');
  const selectAll = db.prepare('SELECT id, data FROM posting WHERE id BETWEEN ? AND ?');

  return (id: number | undefined, matches: number, lastBlock: number): Source => {
    if (id === undefined) return NOWHERE;
    return matches <= SPARSE_PER_BLOCK * (lastBlock + 1) ? sparse(id, lastBlock) : dense(id);
  };

  function sparse(id: number, lastBlock: number): Source {
    const rows = selectAll.all(rowId(id, 0), rowId(id, lastBlock)) as {
      id: number;
      data: Uint8Array;
    }[];
    const byBlock = new Map(rows.map((row) => [blockOfRow(row.id), row.data]));
    return {
      has: (block) => byBlock.has(block),
      read: (block) => postingsOf(byBlock.get(block)),
    };
  }

  function dense(id: number): Source {
    return {
      has: () => true,
      read: (block) =>
        postingsOf((selectOne.get(rowId(id, block)) as { data: Uint8Array } | undefined)?.data),
    };
  }
}

const postingsOf = (data: Uint8Array | undefined): Postings | undefined => data && readPostings(data);
