import type { DatabaseSync } from 'node:sqlite';
import type { Blocked } from './blocked.ts';
import type { ListingWriter } from './listingWriter.ts';

/** Returns a function that hides those listings that are hidden by themselves or by a block, and shows the others. */
export function createReveal(db: DatabaseSync, blocked: Blocked) {
  const select = db.prepare('SELECT resource, owner FROM listing WHERE id = ?');
  const selectHidden = db.prepare('SELECT id FROM listing WHERE hidden = 1 AND id BETWEEN ? AND ?');

  function isCovered(id: number): boolean {
    const row = select.get(id) as { resource: string; owner: string } | undefined;
    return row !== undefined && blocked.covers(row);
  }

  return (writer: Pick<ListingWriter, 'setHidden'>, ids: readonly number[]): void => {
    let [first, last] = [Infinity, 0];
    for (const id of ids) [first, last] = [Math.min(first, id), Math.max(last, id)];
    const alone = new Set(ids.length === 0 ? [] : selectHidden.all(first, last).map(({ id }) => id));
    const isBlocked = blocked.count > 0 ? isCovered : () => false;
    for (const id of ids) writer.setHidden(id, alone.has(id) || isBlocked(id));
  };
}
