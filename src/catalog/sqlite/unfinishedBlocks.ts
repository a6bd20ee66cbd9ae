import type { DatabaseSync } from 'node:sqlite';
import type { UnfinishedBlock } from '../keeper/store.ts';
import { keyOfBlock, type BlockTarget } from '../keeper/target.ts';
import type { Blocked } from './blocked.ts';

/** Blocks and their ends that were begun. Only the latest act on a target counts. */
export interface UnfinishedBlocks {
  begin(target: BlockTarget, act: number): UnfinishedBlock;
  has(target: BlockTarget): boolean;
  /** True if no later act was begun, and it is not finished. */
  isLatest(block: UnfinishedBlock): boolean;
  finish(block: UnfinishedBlock): void;
  all(): UnfinishedBlock[];
}

export function createUnfinishedBlocks(db: DatabaseSync, blocked: Blocked): UnfinishedBlocks {
  const insert = db.prepare(
    'INSERT OR REPLACE INTO unfinished_block (key, kind, value, act) VALUES (?, ?, ?, ?)',
  );
  const select = db.prepare('SELECT act FROM unfinished_block WHERE key = ?');
  const selectAll = db.prepare('SELECT kind, value, act FROM unfinished_block ORDER BY act');
  const remove = db.prepare('DELETE FROM unfinished_block WHERE key = ? AND act = ?');

  const actOn = (target: BlockTarget): unknown => select.get(keyOfBlock(target))?.['act'];
  const unfinished = ({ kind, value }: BlockTarget, act: number): UnfinishedBlock => ({
    ...{ kind, value, act },
    isInForce: blocked.has({ kind, value }),
  });

  return {
    begin(target, act) {
      insert.run(keyOfBlock(target), target.kind, target.value, act);
      return unfinished(target, act);
    },
    has: (target) => actOn(target) !== undefined,
    isLatest: (block) => actOn(block) === block.act,
    finish: (block) => void remove.run(keyOfBlock(block), block.act),
    all: () =>
      (selectAll.all() as unknown as (BlockTarget & { act: number })[]).map((row) =>
        unfinished(row, row.act),
      ),
  };
}
