import type { DatabaseSync } from 'node:sqlite';
import type { DiscoveryResource } from '../../contract/index.ts';
import { transaction } from '../../store/sqliteFile.ts';
import { closeIn, SELECT_LISTING, type ListingRow } from './listingRow.ts';
import { createListingWriter } from './listingWriter.ts';

/** Returns what the item of a listing is to be; undefined to write nothing. */
type Change = (row: ListingRow) => DiscoveryResource | undefined;

/** Returns a function that changes the item of a listing in one transaction. It returns true if it wrote. */
export function createRewrite(db: DatabaseSync): (id: number, change: Change) => boolean {
  const writer = createListingWriter(db);
  const select = db.prepare(`${SELECT_LISTING} WHERE id = ?`);

  function write(id: number, change: Change): boolean {
    const row = select.get(id) as unknown as ListingRow | undefined;
    const item = row && change(row);
    if (row === undefined || item === undefined) return false;
    const { owner, payers, ledger, closedAt } = row;
    const state = writer.state();
    const text = JSON.stringify(item);
    const after = { owner, item, text, close: closeIn(ledger, closedAt), payers, position: null };
    // It is found by other words now if an earlier version worded it.
    if (writer.replace(row, after, state)) writer.keepEarlier((state.clock += 1), id, row);
    writer.flush(state);
    return true;
  }

  return (id, change) => {
    try {
      return transaction(db, 'BEGIN IMMEDIATE', () => write(id, change));
    } catch (error) {
      writer.discard();
      throw error;
    }
  };
}
