import type { DatabaseSync } from 'node:sqlite';
import { transaction, UnusableFile } from '../../store/sqliteFile.ts';

/** How far the file's index of the shared log is. */
export interface ReplicaState {
  position: number;
  state: 'new' | 'filled' | 'behind' | 'whole';
  checksum: string;
}

/** Reads and writes how far the index is. */
export interface Replica {
  read(): ReplicaState;
  write(state: ReplicaState): void;
}

const SELECT_REPLICA = 'SELECT position, state, checksum FROM replica';
const CONTENT = [
  ...['listing', 'earlier_wording', 'word', 'posting', 'length', 'facet', 'member', 'new_listing'],
  ...['blocked', 'hidden', 'terms', 'price', 'paid_at', 'proven'],
];

export function createReplicaState(db: DatabaseSync): Replica {
  const select = db.prepare(SELECT_REPLICA);
  const update = db.prepare('UPDATE replica SET position = ?, state = ?, checksum = ?');
  return {
    read: () => select.get() as unknown as ReplicaState,
    write: ({ position, state, checksum }) => void update.run(position, state, checksum),
  };
}

/**
 * Makes the file an index of the shared log with this key, empty unless it is one already. One that was not filled to
 * its end begins again: a part of it was only in memory. Without a key, checks that the file is a catalog of its own.
 * Throws UnusableFile if the file is the other kind.
 */
export function adopt(db: DatabaseSync, logKey: Uint8Array | undefined): void {
  const replica = db.prepare(SELECT_REPLICA).get() as ReplicaState | undefined;
  const isReplica = replica !== undefined;
  const { listings, key } = db.prepare('SELECT listings, cursor_key AS key FROM state').get() as {
    listings: number;
    key: Uint8Array;
  };
  if (logKey === undefined) {
    if (!isReplica) return;
    throw new UnusableFile('catalog', 'is the index of a catalog that instances share: name another file');
  }
  if (isReplica && Buffer.compare(key, logKey) === 0 && replica.state !== 'new') return;
  if (!isReplica && listings > 0)
    throw new UnusableFile('catalog', 'holds a catalog that is not in the database: name another file');
  transaction(db, 'BEGIN IMMEDIATE', () => {
    empty(db);
    db.prepare('UPDATE state SET cursor_key = ?').run(logKey);
  });
}

/** Makes the file an empty index. */
export function empty(db: DatabaseSync): void {
  for (const table of CONTENT) db.exec(`DELETE FROM ${table}`);
  db.exec(`UPDATE state SET listings = 0, tokens = 0, clock = 0;
    UPDATE traits_fill SET filled = 0, last = 0;
    INSERT OR REPLACE INTO replica VALUES (1, 0, 'new', '0')`);
}
