import type { DatabaseSync } from 'node:sqlite';
import type { LogBatch, LogBlock, LogListing } from '../store.ts';
import { createBlocked } from './blocked.ts';
import { closeIn, readItem, REMOVED, SELECT_LISTING, type ListingRow } from './listingRow.ts';
import { createListingInsert, type ListingWriter } from './listingWriter.ts';
import { hashOf, hashOfBlock, keyOf } from './logListing.ts';
import { valuesOfRemoved } from './removed.ts';
import { createReveal } from './reveal.ts';
import type { State } from './search.ts';

/** Enters what the shared log says of listings and blocks, within the caller's transaction. */
export interface LogEntries {
  /** Enters all of a batch. Returns the change of the index's checksum. */
  enter(batch: LogBatch, state: State): bigint;
}

export function createLogEntries(db: DatabaseSync, writer: ListingWriter): LogEntries {
  const selectListing = db.prepare(`${SELECT_LISTING} WHERE id = ?`);
  const updateHidden = db.prepare('UPDATE listing SET hidden = ? WHERE id = ?');
  const insert = createListingInsert(db);
  const blocked = createBlocked(db);
  const reveal = createReveal(db, blocked);

  /** Returns the change of the checksum. */
  function enterListing(entry: LogListing & { listing: number }, state: State): bigint {
    const { listing: id, owner, item: text, ledger, closedAt, payers, position, hidden: isHidden } = entry;
    const row = selectListing.get(id) as unknown as ListingRow | undefined;
    const item = readItem(text);
    const change = hashOf({ id, ...entry }) ^ (row === undefined ? 0n : hashOf(row));
    if (text === REMOVED) enterRemoved(id, row, position, state);
    if (item === undefined) return change;
    const content = { owner, item, text, close: closeIn(ledger, closedAt), payers, position };
    state.listings = Math.max(state.listings, id);
    if (row === undefined) writer.create({ id, key: keyOf(item), isHidden, ...content }, state);
    else writer.replace(row, content, state);
    if (row !== undefined && (row.hidden === 1) !== isHidden) updateHidden.run(Number(isHidden), id);
    writer.setHidden(id, isHidden || blocked.covers({ resource: item.resource, owner }));
    return change;
  }

  function enterRemoved(id: number, row: ListingRow | undefined, position: number, state: State): void {
    state.listings = Math.max(state.listings, id);
    if (row !== undefined) return writer.remove(row, position, state);
    insert(valuesOfRemoved(id, position));
    writer.setHidden(id, true);
  }

  /** Returns the change of the checksum. Comes after the listings: it covers all that there are by then. */
  function enterBlock({ key, sinceMs, isActive, ...target }: LogBlock): bigint {
    if (blocked.has(target) === isActive) return 0n;
    if (isActive) {
      blocked.add(target, sinceMs);
      for (const id of blocked.listings(target)) writer.setHidden(id, true);
    } else {
      blocked.remove(key);
      reveal(writer, blocked.listings(target));
    }
    return hashOfBlock(key);
  }

  return {
    enter({ entries, earlierWordings, blocks }, state) {
      let change = 0n;
      for (const entry of entries) change ^= enterListing(entry, state);
      for (const block of blocks) change ^= enterBlock(block);
      for (const { reworded, listing, ...earlier } of earlierWordings) {
        state.clock = Math.max(state.clock, reworded);
        writer.keepEarlier(reworded, listing, earlier);
      }
      return change;
    },
  };
}
