import type { DatabaseSync } from 'node:sqlite';
import { pageLimit, actOf } from '../keeper/kept.ts';
import { keyOfBlock, type BlockTarget } from '../keeper/target.ts';
import type { KeeperAct, KeeperAction, RecordedAct, ActsRequest } from '../keeper/types.ts';

/** Keeps what the keeper did, up to a number of acts. */
export interface KeeperActs {
  addOfListing(action: KeeperAction, listing: { id: number; resource: string }, act: KeeperAct): void;
  /** Returns the id of the act. */
  addOfBlock(action: KeeperAction, target: BlockTarget, act: KeeperAct): number;
  /** Latest first. */
  page(request: ActsRequest): RecordedAct[];
  of(about: { listing: number; keys: readonly string[] }): RecordedAct[];
}

export function createKeeperActs(db: DatabaseSync, maxActs: number): KeeperActs {
  const insert = db.prepare(
    `INSERT INTO keeper_act (at_ms, source, actor, action, subject, listing, target, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = db.prepare('DELETE FROM keeper_act WHERE id <= ?');
  const select = db.prepare('SELECT * FROM keeper_act WHERE id < ? ORDER BY id DESC LIMIT ?');
  const selectOf = db.prepare(
    'SELECT * FROM keeper_act WHERE listing = ? OR target IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT ?',
  );

  function add(
    action: KeeperAction,
    about: { subject: string; listing?: number; target?: string },
    { source, actor, reason }: KeeperAct,
  ): number {
    const { subject, listing = null, target = null } = about;
    const { lastInsertRowid } = insert.run(
      ...[Date.now(), source, actor, action, subject, listing, target, reason],
    );
    const id = Number(lastInsertRowid);
    forget.run(id - maxActs);
    return id;
  }

  return {
    addOfListing: (action, { id, resource }, act) =>
      void add(action, { subject: resource, listing: id }, act),
    addOfBlock: (action, target, act) =>
      add(action, { subject: target.value, target: keyOfBlock(target) }, act),
    page: ({ before = Number.MAX_SAFE_INTEGER, limit }) => select.all(before, pageLimit(limit)).map(actOf),
    of: ({ listing, keys }) => selectOf.all(listing, JSON.stringify(keys), pageLimit(Infinity)).map(actOf),
  };
}
