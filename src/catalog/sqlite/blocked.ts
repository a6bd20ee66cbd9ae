import type { DatabaseSync } from 'node:sqlite';
import { coveringKeys, keyOfBlock, type BlockTarget } from '../keeper/target.ts';
import type { Block } from '../keeper/types.ts';
import { createOwnersOf } from './owners.ts';

/** The blocks that are in force. */
export interface Blocked {
  readonly count: number;
  covers(listing: { resource: string; owner: string }): boolean;
  /** Returns the blocks that cover the listing. */
  covering(listing: { resource: string; owner: string }): BlockTarget[];
  has(target: BlockTarget): boolean;
  add(target: BlockTarget, sinceMs: number): void;
  remove(key: string): void;
  all(): Block[];
  /** Returns the ids of the listings that the block would cover, in no order. */
  listings(target: BlockTarget): number[];
}

interface Row extends BlockTarget {
  since_ms: number;
}

export function createBlocked(db: DatabaseSync): Blocked {
  const count = db.prepare('SELECT count(*) AS n FROM blocked');
  const select = db.prepare('SELECT kind, value FROM blocked WHERE key = ?');
  const selectCovering = db.prepare('SELECT kind, value FROM blocked WHERE key IN (?, ?)');
  const selectAll = db.prepare('SELECT kind, value, since_ms FROM blocked ORDER BY since_ms, key');
  const insert = db.prepare('INSERT OR IGNORE INTO blocked (key, kind, value, since_ms) VALUES (?, ?, ?, ?)');
  const remove = db.prepare('DELETE FROM blocked WHERE key = ?');
  const ofOrigin = db.prepare('SELECT id FROM listing WHERE resource >= ? AND resource < ?');
  const ownersOf = createOwnersOf(db);
  const ofOwner = db.prepare('SELECT id FROM listing WHERE owner = ?');

  const covering = (listing: { resource: string; owner: string }) =>
    selectCovering.all(...coveringKeys(listing)) as unknown as BlockTarget[];

  return {
    get count() {
      return (count.get() as { n: number }).n;
    },
    covers: (listing) => covering(listing).length > 0,
    covering: (listing) => covering(listing).map(({ kind, value }) => ({ kind, value })),
    has: (target) => select.get(keyOfBlock(target)) !== undefined,
    add: (target, sinceMs) => void insert.run(keyOfBlock(target), target.kind, target.value, sinceMs),
    remove: (key) => void remove.run(key),
    all: () =>
      (selectAll.all() as unknown as Row[]).map(({ kind, value, since_ms: sinceMs }) => ({
        kind,
        value,
        since: new Date(sinceMs),
      })),
    listings({ kind, value }) {
      if (kind === 'origin') return idsOf(ofOrigin.all(`${value}/`, `${value}${AFTER_SLASH}`));
      return ownersOf(value).flatMap((owner) => idsOf(ofOwner.all(owner)));
    },
  };
}

/** The character after the one that ends each origin in a canonical URL. */
export const AFTER_SLASH = String.fromCharCode('/'.charCodeAt(0) + 1);

const idsOf = (rows: readonly Record<string, unknown>[]): number[] => rows.map(({ id }) => Number(id));
