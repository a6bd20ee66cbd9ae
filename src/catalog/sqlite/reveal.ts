import type { DatabaseSync } from 'node:sqlite';
import type { Blocked } from './blocked.ts';
import type { ListingWriter } from './listingWriter.ts';

/**
 * Returns a function that shows listings, apart from those that are hidden by themselves or by a block. The block with
 * the key `lifted` no longer counts.
 */
export function createReveal(db: DatabaseSync, blocked: Blocked) {
  const select = db.prepare('SELECT resource, owner FROM listing WHERE id = ?');
  const selectHidden = db.prepare('SELECT id FROM listing WHERE hidden = 1 AND id BETWEEN ? AND ?');

  function isBlockedByOther(id: number, lifted: string | undefined): boolean {
    const row = select.get(id) as { resource: string; owner: string } | undefined;
    return row !== undefined && blocked.covers(row, lifted);
  }

  return (writer: Pick<ListingWriter, 'setHidden'>, ids: readonly number[], lifted?: string): void => {
    let [first, last] = [Infinity, 0];
    for (const id of ids) [first, last] = [Math.min(first, id), Math.max(last, id)];
    const alone = new Set(ids.length === 0 ? [] : selectHidden.all(first, last).map(({ id }) => id));
    const isBlocked = blocked.hasOthers(lifted) ? isBlockedByOther : () => false;
    for (const id of ids) writer.setHidden(id, alone.has(id) || isBlocked(id, lifted));
  };
}
